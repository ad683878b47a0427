import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import {
  artifact,
  authRequired,
  completed,
  inputRequired,
  rejected,
  type SkillEvent,
  working,
} from '@parley/sdk/skill/events.js';
import { type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import type { MirrorStore } from '../../tasks/tree/mirror.store.js';
import type { Callbacks } from '../callback/callbacks.js';
import { PollPace } from './poll-pace.js';
import { type Poll, type RemoteCalls, type RemoteEnd, type Sent, textOf } from './remote-calls.js';
import { type RemoteAsks, type RemoteBegun, RemotePolls } from './remote-polls.js';
import { askToLogIn, wordsOf } from './remote-login.js';
import { RemoteSender } from './remote-sender.js';

/** Progress reports of the other agent that are passed on; later ones are dropped. */
const MAX_PROGRESS = 50;
/** Logins that one turn awaits. After them the turn ends with the question, and a message begins the next turn. */
const MAX_LOGINS = 20;
/** State key of the other agent's task; an answer to its question is sent there. */
const REMOTE_TASK = 'remote.task';

/** State of the turn's polling. */
interface Followed {
  readonly sender: RemoteSender;
  readonly polls: RemotePolls;
  pace: PollPace;
  /** Deadline of the other agent, ms. */
  until: number;
  logins: number;
}

/** The outcome of a login: a poll, or a direct answer. */
type Next = Poll | Extract<Sent, { kind: 'message' }>;

/**
 * Mirrors the task of another agent as a task here. Its runs last milliseconds: they send the message, poll the task,
 * and park in between.
 */
export class RemoteAgentSkill implements SkillHandler {
  constructor(
    private readonly calls: RemoteCalls,
    private readonly mirrors: MirrorStore,
    private readonly callbacks?: Callbacks,
  ) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const until = (await context.now()) + this.calls.agent.timeoutMs;
    const sender = new RemoteSender(context, this.callsFor(context), this.mirrors, this.callbacks);
    const parts = context.messages.flatMap((message) => message.parts);
    const sent = await sender.send({ parts, ids: await this.ids(context) }, until);
    if (sent.kind === 'message') {
      yield artifact('reply', sent.parts);
      return;
    }
    const task = await this.begun(context, sent);
    const polls = new RemotePolls(context, this.callsFor(context), task);
    yield* this.followed(context, { sender, polls, pace: paceOf(context, task), until, logins: 0 });
  }

  /** Calls to the agent are made on behalf of the task's caller, with no more permissions than that caller has. */
  private callsFor({ principal }: SkillContext): RemoteCalls {
    return this.calls.of(principal);
  }

  /** State key of the other agent's context, for further calls of this caller in the same context here. */
  private get contextKey(): string {
    return `remote.${this.calls.agent.name}`;
  }

  /** The first turn begins a task in the agent's known context; a further one answers the question of its task. */
  private async ids(context: SkillContext): Promise<Pick<Message, 'taskId' | 'contextId'>> {
    if (context.turn > 1) {
      const known = await context.state.get(REMOTE_TASK);
      if (isRemoteIds(known)) return { taskId: known.taskId, contextId: known.contextId };
    }
    const contextId = await context.shared('context').get(this.contextKey);
    return typeof contextId === 'string' ? { contextId } : {};
  }

  private async begun(context: SkillContext, sent: Exclude<Sent, { kind: 'message' }>): Promise<RemoteBegun> {
    if (sent.kind === 'unknown') throw new SkillFailure(sent.text, { fault: 'unknown' });
    if (sent.kind !== 'task') throw failureOf(sent);
    await context.state.set(REMOTE_TASK, { taskId: sent.taskId, contextId: sent.contextId });
    await context.shared('context').set(this.contextKey, sent.contextId);
    return sent;
  }

  private async *followed(context: SkillContext, followed: Followed): AsyncGenerator<SkillEvent, void, void> {
    const { polls } = followed;
    let [said, progress] = ['', 0];
    for (;;) {
      const poll = await this.next(context, followed);
      if (poll.kind === 'failed') throw failureOf(poll);
      if (poll.kind === 'message') {
        yield artifact('reply', poll.parts);
        return;
      }
      if (poll.kind === 'ended') {
        yield* this.ended(context, await polls.end());
        return;
      }
      if (poll.kind === 'asks') {
        yield question(poll, this.calls.agent.name);
        return;
      }
      if (poll.kind === 'open' && poll.text !== '' && poll.text !== said && progress < MAX_PROGRESS) {
        [said, progress] = [poll.text, progress + 1];
        yield working(poll.text);
      }
      const now = await context.now();
      if (now > followed.until) await this.overdue(context, polls.task);
      await followed.pace.wait(now, poll.kind === 'down' ? poll.afterMs : undefined);
    }
  }

  /** The next poll; when the agent asks for a login, its outcome. */
  private async next(context: SkillContext, followed: Followed): Promise<Next> {
    let poll: Next = await followed.polls.next();
    while (poll.kind === 'asks' && isLogin(poll) && followed.logins < MAX_LOGINS) {
      followed.logins += 1;
      poll = await this.behind(poll, context, followed);
    }
    return poll;
  }

  /** Waits for the login that an agent asks for: until the caller answers or the agent continues by itself. */
  private async behind(login: RemoteAsks, context: SkillContext, followed: Followed): Promise<Next> {
    const { sender, polls, logins } = followed;
    const asked = await context.now();
    const came = await askToLogIn(context, polls, login, this.calls.agent.name);
    // The time of people does not count against the agent's deadline.
    followed.until += (await context.now()) - asked;
    if ('kind' in came) return came;
    const { taskId, contextId } = polls.task;
    const sent = await sender.send({ parts: came.parts, ids: { taskId, contextId }, answer: logins }, followed.until);
    if (sent.kind === 'message') return sent;
    if (sent.kind === 'failed') return this.withoutAnswer(sent, polls);
    polls.task = await this.begun(context, sent);
    followed.pace = paceOf(context, polls.task);
    return polls.next();
  }

  /** An agent that continued or ended at the moment of the answer may refuse it and does not need it. */
  private async withoutAnswer(refused: Extract<Sent, { kind: 'failed' }>, polls: RemotePolls): Promise<Next> {
    const poll = await polls.next();
    if (poll.kind === 'asks') throw failureOf(refused);
    return poll;
  }

  private async overdue(context: SkillContext, { taskId }: RemoteBegun): Promise<never> {
    await context.step('cancel', () => this.callsFor(context).cancel(taskId));
    const hours = (this.calls.agent.timeoutMs / 3_600_000).toFixed(1);
    const text = `The agent ${this.calls.agent.name} was not done after ${hours} hours, and was canceled`;
    throw new SkillFailure(text, { fault: 'deadline' });
  }

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

function paceOf(context: SkillContext, { push }: RemoteBegun): PollPace {
  return new PollPace(context, push === true);
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

function isLogin({ state }: RemoteAsks): boolean {
  return state === 'TASK_STATE_AUTH_REQUIRED';
}

function question(asked: RemoteAsks, name: string): SkillEvent {
  const words = wordsOf(asked, name);
  return isLogin(asked) ? authRequired(words) : inputRequired(words);
}

function isRemoteIds(value: unknown): value is { readonly taskId: string; readonly contextId: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { taskId, contextId }: JsonObject = { ...value };
  return typeof taskId === 'string' && typeof contextId === 'string';
}
