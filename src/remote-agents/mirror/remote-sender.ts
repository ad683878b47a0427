import { CONTEXT_EXTENSION, contextOf } from '@parley/protocol/extension/context-extension.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { hasEnded } from '@parley/protocol/remote/remote-model.js';
import type { MirrorStore } from '../../tasks/tree/mirror.store.js';
import type { Callbacks } from '../callback/callbacks.js';
import { delegated } from './delegation.js';
import { pauseBefore } from './poll-schedule.js';
import type { RemoteCalls, Sent } from './remote-calls.js';
import type { RemoteBegun } from './remote-polls.js';

/** A message of a turn to the other agent. */
export interface Saying {
  readonly parts: readonly Part[];
  readonly ids: Pick<Message, 'taskId' | 'contextId'>;
  /** Number of the login answer within the turn; absent: the turn's first message. */
  readonly answer?: number;
}

/**
 * Sends the messages of a mirror. A message has the same id in all runs: a crash between sending and recording the
 * answer begins no second task at an agent that deduplicates messages; for others there is `resend: never`.
 */
export class RemoteSender {
  /** @param calls calls to the agent on behalf of the task's caller */
  constructor(
    private readonly context: SkillContext,
    private readonly calls: RemoteCalls,
    private readonly mirrors: MirrorStore,
    private readonly callbacks?: Callbacks,
  ) {}

  /** Sends until the agent accepts. @param until deadline, ms */
  async send({ answer, ...saying }: Saying, until: number): Promise<Sent> {
    const { context } = this;
    const suffix = answer === undefined ? '' : `.${String(answer)}`;
    const message = this.message(saying, suffix);
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.attempt(message, `${String(attempt)}${suffix}`);
      if (outcome.kind !== 'again') return outcome;
      if ((await context.now()) > until) return { ...outcome, kind: 'failed' };
      await context.sleep(pauseBefore(attempt, outcome.afterMs));
    }
  }

  /** Records the intention first: a run that finds it without an answer cannot know whether the message was sent. */
  private async attempt(message: Message, name: string): Promise<Sent> {
    const { context, calls } = this;
    const own = { isFirst: false };
    await context.step(`intend ${name}`, async () => {
      own.isFirst = true;
      return message.messageId;
    });
    return context.step(`send ${name}`, async () => {
      const sent = own.isFirst || calls.agent.resend === 'safe' ? undefined : await this.doubtful(message);
      const outcome = sent ?? (await this.post(message));
      if (outcome.kind === 'task') await this.mark(outcome);
      return outcome;
    });
  }

  private async doubtful({ messageId, contextId }: Message): Promise<Sent> {
    const { calls } = this;
    const found = contextId === undefined ? undefined : await calls.findSent(messageId, contextId);
    const text = `The agent ${calls.agent.name} may have begun: a process ended while it was called`;
    return found ?? { kind: 'unknown', text };
  }

  private async post(message: Message): Promise<Sent> {
    const { context, calls, mirrors } = this;
    const before = await mirrors.beganWith(context.taskId);
    const chain = delegated(before, new URL(calls.agent.card).origin, message.parts);
    if ('refused' in chain) return { kind: 'failed', text: chain.refused };
    const metadata = { ...message.metadata, ...chain.metadata };
    return calls.send(
      { ...message, metadata },
      {
        acceptedOutputModes: context.acceptedOutputModes,
        trace: await mirrors.traceOf(context.taskId),
        webhook: this.callbacks?.webhookOf(context.taskId),
      },
    );
  }

  /** Leaves no task behind at the other agent when this one was canceled meanwhile. */
  private async mark({ taskId, state }: RemoteBegun): Promise<void> {
    if (hasEnded(state)) return;
    const { context, calls } = this;
    const mirrored = { agent: calls.agent.name, caller: context.principal, taskId };
    if (!(await this.mirrors.mark(context.taskId, mirrored))) await calls.cancel(taskId);
  }

  private message({ parts, ids }: Saying, suffix: string): Message {
    const { context, calls } = this;
    const { skill } = calls.agent;
    const metadata = { ...(skill === undefined ? {} : { skillId: skill }), ...this.lentContext() };
    return {
      messageId: `${context.taskId}:${String(context.turn)}${suffix}`,
      role: 'ROLE_USER',
      parts,
      ...ids,
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
  }

  /**
   * The context of the call, with memory reduced by the contract and the policy, for agents that AGENTS_FILE grants it
   * to. There the caller is this service, by its credential; the first caller is the verified client, or the one named
   * by a relay of the policy.
   */
  private lentContext(): JsonObject {
    const lent = this.context.messages.map(contextOf).find((one) => one !== undefined);
    if (lent === undefined || this.calls.agent.reads === undefined) return {};
    const { caller, on_behalf_of: first, ...context } = lent;
    // A relay's claim about the first caller is sent together with the verified client.
    const named = first === undefined ? { on_behalf_of: caller } : { on_behalf_of: first, relayed_by: caller };
    return { [CONTEXT_EXTENSION]: { ...context, ...(caller === undefined ? {} : named) } };
  }
}
