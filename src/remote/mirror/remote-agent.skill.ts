import { CONTEXT_EXTENSION, contextOf } from '../../protocol/context-extension.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Message, Part } from '../../protocol/message.js';
import {
  artifact,
  authRequired,
  completed,
  inputRequired,
  rejected,
  type SkillEvent,
  working,
} from '../../skill/events.js';
import { type SkillContext, SkillFailure, type SkillHandler } from '../../skill/skill.js';
import type { MirrorStore } from '../../task/mirror.store.js';
import type { Callbacks } from '../callback/callbacks.js';
import { hasEnded } from '../../wire/remote-model.js';
import { delegated } from './delegation.js';
import { LookPace } from './look-pace.js';
import { pauseBefore } from './poll-schedule.js';
import { type RemoteCalls, type RemoteEnd, type Sent, textOf } from './remote-calls.js';

/** Progress of the other agent that is passed on; what it says beyond that is left out. */
const MOST_PROGRESS = 50;
/** The task of the other agent, in the state of the mirror: the answer to its question goes there. */
const REMOTE_TASK = 'remote.task';

type Task = Extract<Sent, { kind: 'task' }>;

/**
 * The task of another agent as a task here. Its runs last milliseconds: they send the message, look at the task, and are
 * parked in between. A message has one id in all runs, so that a crash between sending and noting the answer begins no
 * second task at an agent that knows its messages; for others there is `resend: never`.
 */
export class RemoteAgentSkill implements SkillHandler {
  constructor(
    private readonly calls: RemoteCalls,
    private readonly mirrors: MirrorStore,
    private readonly callbacks?: Callbacks,
  ) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const until = (await context.now()) + this.calls.agent.timeoutMs;
    const sent = await this.sent(context, until);
    if (sent.kind === 'message') {
      yield artifact('reply', sent.parts);
      return;
    }
    if (sent.kind === 'unknown') throw new SkillFailure(sent.text, { fault: 'unknown' });
    if (sent.kind !== 'task') throw failureOf(sent);
    await context.state.set(REMOTE_TASK, { taskId: sent.taskId, contextId: sent.contextId });
    await context.contextState.set(this.contextKey, sent.contextId);
    yield* this.followed(context, sent, until);
  }

  /** Calls to the agent are for the caller of the task, as every child is: it gets no more there than that caller. */
  private callsFor({ principal }: SkillContext): RemoteCalls {
    return this.calls.of(principal);
  }

  /** The other agent's context, for further calls of this caller in the same context here. */
  private get contextKey(): string {
    return `remote.${this.calls.agent.name}`;
  }

  private async sent(context: SkillContext, until: number): Promise<Sent> {
    const message = await this.message(context);
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.attempt(context, message, attempt);
      if (outcome.kind !== 'again') return outcome;
      if ((await context.now()) > until) return { ...outcome, kind: 'failed' };
      await context.sleep(pauseBefore(attempt, outcome.afterMs));
    }
  }

  /** What is meant to be sent is noted first: a run that finds the note and no answer does not know whether it was. */
  private async attempt(context: SkillContext, message: Message, attempt: number): Promise<Sent> {
    const own = { isFirst: false };
    await context.step(`intend ${String(attempt)}`, async () => {
      own.isFirst = true;
      return message.messageId;
    });
    return context.step(`send ${String(attempt)}`, async () => {
      const sent =
        own.isFirst || this.calls.agent.resend === 'safe' ? undefined : await this.doubtful(context, message);
      const outcome = sent ?? (await this.post(context, message));
      if (outcome.kind === 'task') await this.mark(context, outcome);
      return outcome;
    });
  }

  private async doubtful(context: SkillContext, { messageId, contextId }: Message): Promise<Sent> {
    const found = contextId === undefined ? undefined : await this.callsFor(context).findSent(messageId, contextId);
    const text = `The agent ${this.calls.agent.name} may have begun: a process ended while it was called`;
    return found ?? { kind: 'unknown', text };
  }

  private async post(context: SkillContext, message: Message): Promise<Sent> {
    const before = await this.mirrors.beganWith(context.taskId);
    const chain = delegated(before, new URL(this.calls.agent.card).origin, message.parts);
    if ('refused' in chain) return { kind: 'failed', text: chain.refused };
    const metadata = { ...message.metadata, ...chain.metadata };
    return this.callsFor(context).send(
      { ...message, metadata },
      {
        acceptedOutputModes: context.acceptedOutputModes,
        trace: await this.mirrors.traceOf(context.taskId),
        webhook: this.callbacks?.webhookOf(context.taskId),
      },
    );
  }

  /** A task that was canceled meanwhile leaves nothing behind at the other agent. */
  private async mark(context: SkillContext, { taskId, state }: Task): Promise<void> {
    if (hasEnded(state)) return;
    const mirrored = { agent: this.calls.agent.name, caller: context.principal, taskId, since: Date.now() };
    if (!(await this.mirrors.mark(context.taskId, mirrored))) await this.callsFor(context).cancel(taskId);
  }

  private async message(context: SkillContext): Promise<Message> {
    const { skill } = this.calls.agent;
    const ids = await this.ids(context);
    const metadata = { ...(skill === undefined ? {} : { skillId: skill }), ...this.lentContext(context) };
    return {
      messageId: `${context.taskId}:${String(context.turn)}`,
      role: 'ROLE_USER',
      parts: context.messages.flatMap(({ parts }) => parts),
      ...ids,
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
  }

  /**
   * The context of the call, whose memory the contract and the policy have cut; for agents that AGENTS_FILE lends it to. There the caller
   * is this service, by its credential: who called first is what it says of itself.
   */
  private lentContext({ messages }: SkillContext): JsonObject {
    const lent = messages.map(contextOf).find((one) => one !== undefined);
    if (lent === undefined || this.calls.agent.reads === undefined) return {};
    const { caller, on_behalf_of: first = caller, ...context } = lent;
    return { [CONTEXT_EXTENSION]: { ...context, ...(first === undefined ? {} : { on_behalf_of: first }) } };
  }

  /** The first turn begins a task in the known context of the agent; a further one answers the question of its task. */
  private async ids(context: SkillContext): Promise<Pick<Message, 'taskId' | 'contextId'>> {
    if (context.turn > 1) {
      const known = await context.state.get(REMOTE_TASK);
      if (isRemoteIds(known)) return { taskId: known.taskId, contextId: known.contextId };
    }
    const contextId = await context.contextState.get(this.contextKey);
    return typeof contextId === 'string' ? { contextId } : {};
  }

  private async *followed(
    context: SkillContext,
    { taskId, push }: Task,
    until: number,
  ): AsyncGenerator<SkillEvent, void, void> {
    let [said, progress] = ['', 0];
    const pace = new LookPace(context, push === true);
    for (let round = 0; ; round += 1) {
      const seen: { end?: RemoteEnd } = {};
      const look = await context.step(`look ${String(round)}`, () =>
        this.callsFor(context).look(taskId, (end) => (seen.end = end)),
      );
      if (look.kind === 'failed') throw failureOf(look);
      if (look.kind === 'ended') {
        yield* this.ended(context, seen.end ?? (await this.callsFor(context).end(taskId)));
        return;
      }
      if (look.kind === 'asks') {
        yield question(look.state === 'TASK_STATE_AUTH_REQUIRED', look.parts, this.calls.agent.name);
        return;
      }
      if (look.kind === 'open' && look.text !== '' && look.text !== said && progress < MOST_PROGRESS) {
        [said, progress] = [look.text, progress + 1];
        yield working(look.text);
      }
      const now = await context.now();
      if (now > until) await this.overdue(context, taskId);
      await pace.wait(now, look.kind === 'down' ? look.afterMs : undefined);
    }
  }

  private async overdue(context: SkillContext, taskId: string): Promise<never> {
    await context.step('cancel', () => this.callsFor(context).cancel(taskId));
    const hours = (this.calls.agent.timeoutMs / 3_600_000).toFixed(1);
    const text = `The agent ${this.calls.agent.name} was not done after ${hours} hours, and was canceled`;
    throw new SkillFailure(text, { fault: 'deadline' });
  }

  /** The end is no part of a step: its artifacts may be large, and an ended task does not change any more. A later run reads it again. */
  private async *ended(context: SkillContext, end: RemoteEnd): AsyncGenerator<SkillEvent, void, void> {
    await this.mirrors.mark(context.taskId, undefined);
    for (const { artifactId, parts, name, description, metadata } of end.artifacts) {
      yield artifact(artifactId, parts, {
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(metadata === undefined ? {} : { metadata }),
      });
    }
    yield* lastWord(end, this.calls.agent.name);
  }
}

function failureOf({ text, why }: Extract<Sent, { kind: 'again' | 'failed' }>): SkillFailure {
  return new SkillFailure(text, why === undefined ? {} : { fault: why });
}

function* lastWord({ state, parts }: RemoteEnd, name: string): Generator<SkillEvent, void, void> {
  const text = textOf(parts);
  switch (state) {
    case 'TASK_STATE_COMPLETED':
      if (parts.length > 0) yield completed(parts);
      return;
    case 'TASK_STATE_REJECTED':
      yield rejected(text === '' ? `The agent ${name} refused` : parts);
      return;
    case 'TASK_STATE_CANCELED':
      throw new SkillFailure(`The agent ${name} canceled its task${text === '' ? '' : `: ${text}`}`);
    case 'TASK_STATE_FAILED':
    case 'TASK_STATE_SUBMITTED':
    case 'TASK_STATE_WORKING':
    case 'TASK_STATE_INPUT_REQUIRED':
    case 'TASK_STATE_AUTH_REQUIRED':
    case 'TASK_STATE_UNSPECIFIED':
      throw new SkillFailure(`The agent ${name} failed${text === '' ? '' : `: ${text}`}`);
  }
}

function question(isForAuth: boolean, parts: readonly Part[], name: string): SkillEvent {
  const words: readonly Part[] = parts.length > 0 ? parts : [{ text: `The agent ${name} asks for more.` }];
  return isForAuth ? authRequired(words) : inputRequired(words);
}

function isRemoteIds(value: unknown): value is { readonly taskId: string; readonly contextId: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { taskId, contextId }: JsonObject = { ...value };
  return typeof taskId === 'string' && typeof contextId === 'string';
}
