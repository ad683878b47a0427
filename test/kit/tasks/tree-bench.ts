import { Logger } from '@nestjs/common';
import { runContext } from '../../../src/runs/turn/run-host.js';
import { ContextValues } from '../../../src/runs/turn/context-values.js';
import { RunMemory } from '../../../src/runs/turn/run-memory.js';
import { undoTurn } from '../../../src/undo/undo-turn.js';
import { SkillTurn, type TurnResult } from '../../../src/runs/turn/skill-turn.js';
import { NO_REQUESTS } from '@parley/sdk/skill/requests/skill-request.js';
import { NO_TOOLS } from '@parley/sdk/skill/tools/skill-tool.js';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { type SkillContext, SkillFailure, type SkillOptions } from '@parley/sdk/skill/skill.js';
import { type RegisteredSkill, SkillRegistry } from '../../../src/skill/skill.registry.js';
import type { LocalRuns } from '../../../src/runs/local-runs.js';
import { RunSlots } from '../../../src/runs/worker/run-slots.js';
import type { NewTask } from '../../../src/tasks/record/new-task.js';
import type { ClaimedRun } from '../../../src/tasks/commit/run.store.js';
import { SenderStore } from '../../../src/tasks/questions/sender.store.js';
import { noPolicies, turnSources } from './turn-sources.js';
import type { TaskStores } from './task-stores.js';

const GRACE_MS = 1_000;

// A line for each call: thousands in the tests of trees.
Logger.overrideLogger(false);

type Body = (context: SkillContext) => AsyncGenerator<SkillEvent, void, void>;

/** A skill of a tree under test. */
export interface TreeSkill {
  readonly run: Body;
  readonly options?: Partial<SkillOptions>;
  /** Its earlier versions. */
  readonly previous?: readonly TreeSkill[];
}

/** Runs the tasks of trees one by one, as workers do: each step is a claim and a turn. */
export class TreeBench {
  readonly skills: SkillRegistry;
  /** Skills in the order in which their runs began. */
  readonly began: string[] = [];
  /** Runs in progress, by task and fence. */
  private readonly turns = new Map<string, SkillTurn>();
  private readonly slots: RunSlots;

  /** @param slots in which children begin beside their parents */
  constructor(
    public stores: TaskStores,
    skills: Readonly<Record<string, TreeSkill | Body>>,
    slots = 0,
  ) {
    const registered = (id: string, { run, options = {}, previous = [] }: TreeSkill): RegisteredSkill => ({
      options: { id, name: id, description: id, tags: [], ...options },
      handler: { run },
      previous: previous.map((each) => registered(id, each)),
    });
    this.skills = new SkillRegistry(
      Object.entries(skills).map(([id, skill]) => registered(id, typeof skill === 'function' ? { run: skill } : skill)),
    );
    this.slots = new RunSlots(slots, this.skills.options);
  }

  /** A task of a caller. */
  async root(skillId: string, changes: Partial<NewTask> = {}): Promise<string> {
    const { version } = this.skills.runnable(skillId)?.options ?? {};
    return (await this.stores.submitted({ routing: { skillId, version }, ...changes })).id;
  }

  /** Claims a task and runs one turn of it. */
  async run(id: string): Promise<TurnResult> {
    return this.turn(await this.claim(id));
  }

  async claim(id: string): Promise<ClaimedRun> {
    const outcome = await this.stores.runs.claim(id, 'any', 'worker');
    if (outcome.kind !== 'claimed') throw new Error(outcome.kind);
    return outcome.run;
  }

  turn(run: ClaimedRun): Promise<TurnResult> {
    return this.begin(run).result;
  }

  /** Runs a turn and does what follows from its end, as the runner does. */
  async finish(id: string): Promise<TurnResult> {
    return this.finishRun(await this.claim(id));
  }

  private async finishRun(run: ClaimedRun): Promise<TurnResult> {
    const id = run.taskId;
    const { turn, result } = this.begin(run);
    const ended = await result;
    const isFailure = ended.kind === 'threw' && ended.error instanceof SkillFailure;
    const end = isFailure ? await turn.fail(ended.error.message) : ended;
    const { sweeps } = this.stores;
    if (end.kind === 'committed' && end.parentFence !== undefined)
      this.turns.get(`${String(run.traits.tree?.parent)} ${String(end.parentFence)}`)?.waits.heard();
    if (end.kind === 'ends') await sweeps.settle(id, run.fence, end.state, end.said);
    if (end.kind === 'stopped' && end.reason === 'canceled') await sweeps.settle(id, run.fence, 'TASK_STATE_CANCELED');
    return end;
  }

  begin(run: ClaimedRun): { readonly turn: SkillTurn; readonly result: Promise<TurnResult> } {
    const { stores } = this;
    const { ending } = run;
    const handler = this.skills.runnableAs(run.skillId, run.version)?.handler;
    if (handler === undefined) throw new Error(`no skill ${run.skillId}`);
    const senders = new SenderStore(stores.redis, stores.options);
    const sendersOf = senders.of.bind(senders, run.taskId);
    const sources = { ...turnSources(stores, this.skills), sendersOf, local: this.local };
    const turn = new SkillTurn(run, stores.runs, GRACE_MS, sources);
    this.turns.set(`${run.taskId} ${String(run.fence)}`, turn);
    turn.begin();
    const memory = new RunMemory(
      new ContextValues(stores.contexts, stores.operatorValues, noPolicies, stores.index),
      senders,
      stores.trees,
      stores.questions,
      stores.board,
    );
    const context = runContext({
      run,
      store: stores.runs,
      memory,
      skills: this.skills,
      requests: NO_REQUESTS,
      tools: { servers: NO_TOOLS, declared: undefined },
      turn,
      logger: new Logger(),
    });
    this.began.push(ending === undefined ? run.skillId : `undo ${run.skillId}`);
    if (ending === undefined) return { turn, result: turn.run(handler, context) };
    const undone = undoTurn({ run, turn, ending }, context, stores.trees, stores.runs.notebook);
    return { turn, result: undone.then(({ result }) => result) };
  }

  private get local(): LocalRuns {
    const { slots } = this;
    return {
      get hasRoom() {
        return slots.free > 0;
      },
      whenFull: (giveUp) => slots.whenFull(giveUp),
      takeSlot: (skillId) => {
        const slot = slots.take(skillId);
        let isTaken = false;
        return (
          slot && {
            channel: 'worker',
            run: (run) => {
              isTaken = true;
              void this.finishRun(run).finally(slot.release);
            },
            release: () => {
              if (!isTaken) slot.release();
            },
          }
        );
      },
    };
  }

  /** Runs what waits in the fair queues until nothing does. Returns how many runs that were. */
  async settle(most = 10_000): Promise<number> {
    let runs = 0;
    for (; runs < most;) {
      const heads = await this.stores.queue.heads(10, 'all');
      if (heads.length === 0) break;
      for (const { taskId } of heads) await this.run(taskId);
      runs += heads.length;
    }
    return runs;
  }

  /** The text of a task's last message. */
  async said(id: string): Promise<string> {
    const { status } = await this.stores.task(id);
    return (status.message?.parts ?? []).flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  }
}
