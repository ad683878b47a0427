import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { pauseBefore } from '../../remote-agents/mirror/poll-schedule.js';
import { artifact, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import type { ToolAnswers, ToolOutcome, ToolTerms } from '@parley/sdk/skill/tools/skill-tool.js';
import { JournaledCall } from '@parley/sdk/skill/tools/skill-tools.js';
import type { MirrorStore } from '../../tasks/tree/mirror.store.js';
import type { ToolServerSettings, ToolSettings } from '../settings/server-file.js';
import type { LongTasks, ToolPoll } from './long-tasks.js';
import type { ToolServerPool } from '../connection/tool-server-pool.js';

type Begun = Extract<ToolOutcome, { kind: 'task' }>;

/** Progress reports of the tool that are passed on; later ones are dropped. */
const MAX_PROGRESS = 50;

/**
 * One call of a long tool as a task here, like those of other agents: its runs send the call, poll the tool's task, and
 * park in between. A crash loses nothing, and a cancel reaches the tool even without a run.
 */
export class LongToolSkill implements SkillHandler {
  constructor(
    private readonly server: ToolServerSettings,
    private readonly tool: ToolSettings,
    private readonly sources: {
      readonly pool: ToolServerPool;
      readonly tasks: LongTasks;
      readonly mirrors: MirrorStore;
    },
  ) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const [args = {}] = context.data;
    const outcome = await this.call(context, isJsonObject(args) ? args : {}).outcome();
    if (outcome.kind === 'result') yield artifact('result', [{ data: outcome.result }]);
    else yield* this.followed(context, outcome);
  }

  private call(context: SkillContext, args: Readonly<Record<string, unknown>>): JournaledCall {
    const { taskId, principal, idempotencyKey, step, ask } = context;
    const { name: server } = this.server;
    const { name: tool } = this.tool;
    const terms = this.sources.pool.find(server, tool) ?? GONE;
    const run = {
      ...{ servers: this.sources.pool, taskId, tenant: principal.tenant, idempotencyKey, step, ask },
      signal: () => context.signal,
      noted: async (outcome: ToolOutcome) => {
        if (outcome.kind === 'task') await this.mark(context, outcome);
      },
    };
    return new JournaledCall(run, terms, { name: 'call', server, tool, args, options: {} });
  }

  /** Leaves no task behind at the tool when this one was canceled meanwhile. */
  private async mark({ taskId, principal: { tenant } }: SkillContext, begun: Begun): Promise<void> {
    const agent = `${this.server.name}/${this.tool.name}`;
    const isOpen = await this.sources.mirrors.mark(taskId, {
      ...{ kind: 'tool', agent, tenant, taskId: begun.taskId },
    });
    if (!isOpen) await this.sources.tasks.cancel(agent, tenant, begun.taskId);
  }

  private async *followed(context: SkillContext, { taskId, pollMs }: Begun): AsyncGenerator<SkillEvent, void, void> {
    const { tenant } = context.principal;
    const until = (await context.now()) + this.tool.timeoutMs;
    const agent = `${this.server.name}/${this.tool.name}`;
    let [said, progress] = ['', 0];
    for (let round = 0; ; round += 1) {
      await context.sleep(Math.max(pollMs, pauseBefore(round) / 2));
      const poll = await context.step(`look ${String(round)}`, () => this.sources.tasks.poll(agent, tenant, taskId));
      if (poll.kind === 'failed') throw new SkillFailure(poll.text);
      if (poll.kind === 'ended') {
        yield* this.ended(context, taskId);
        return;
      }
      if (poll.kind === 'asks') await this.answer(context, { taskId, round }, poll);
      if (poll.kind === 'open' && poll.text !== '' && poll.text !== said && progress < MAX_PROGRESS) {
        [said, progress] = [poll.text, progress + 1];
        yield working(said);
      }
      if ((await context.now()) > until) {
        await context.step('cancel', () => this.sources.tasks.cancel(agent, tenant, taskId));
        throw new SkillFailure(`The tool ${agent} was not done in its time, and was canceled`);
      }
    }
  }

  private async answer(
    context: SkillContext,
    { taskId, round }: { readonly taskId: string; readonly round: number },
    poll: Extract<ToolPoll, { kind: 'asks' }>,
  ): Promise<void> {
    const agent = `${this.server.name}/${this.tool.name}`;
    const answers: ToolAnswers = await this.call(context, {}).answered(poll);
    const { tenant } = context.principal;
    await context.step(`answer ${String(round)}`, () => this.sources.tasks.answer(agent, tenant, { taskId, answers }));
  }

  /** Read outside of a step: the result may be large, and an ended task does not change. */
  private async *ended(context: SkillContext, taskId: string): AsyncGenerator<SkillEvent, void, void> {
    const agent = `${this.server.name}/${this.tool.name}`;
    const result = await this.sources.tasks.result(agent, context.principal.tenant, taskId);
    await this.sources.mirrors.mark(context.taskId, undefined);
    yield artifact('result', [{ data: result }]);
  }
}

/** Terms of a tool that was removed from the file while its task ran. */
const GONE: ToolTerms = { pin: '', isRepeatable: false, onUnknown: 'fail', isLong: true };
