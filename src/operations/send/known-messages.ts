import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { A2AError, type A2AErrorName } from '@parley/protocol/model/errors.js';
import { meaningOf } from '@parley/protocol/codec/message-meaning.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { digestOfNew } from '../../tasks/record/new-task.js';
import type { BegunTask, KnownMessage } from '../../tasks/store/next-turn.js';
import { isMarkOf } from '../../tasks/store/resume-outcome.js';
import { taskIdOfDigest } from '../../tasks/task.keys.js';
import { TaskStore } from '../../tasks/store/task.store.js';
import type { Call } from '../call.js';
import { messageIdTaken } from './message-acceptance.js';
import { SkillSelector } from './skill-selector.js';

/**
 * Errors after which a retry is unaffected by the first sending; every other one may result from a change made by it.
 */
const PASSING: ReadonlySet<A2AErrorName> = new Set(['Unavailable', 'InternalError']);

/**
 * Recognises repeated messages. The id of every message is known as long as its task, and is checked before the message
 * is validated or refused: a repeat need not pass the checks that its first sending passed. Messages are the same when
 * they mean the same (`meaningOf`).
 */
@Injectable()
export class KnownMessages {
  constructor(
    private readonly store: TaskStore,
    private readonly choice: SkillSelector,
  ) {}

  /**
   * The task that this message began; undefined when it began none. @throws A2AError for another message with its id
   */
  async begunBy(sent: SendMessageRequest, call: Call): Promise<string | undefined> {
    const mark = await this.store.markOf(digestOf(sent, call));
    if (mark === undefined) return undefined;
    const [taskId = ''] = mark.split(' ');
    if (await this.hasBegun(taskId, mark, sent, call)) {
      await this.store.confirm(taskId, { seq: 1 });
      return taskId;
    }
    // A client that names its task sends further messages under that name.
    if (call.legacy?.clientTaskId !== undefined) return undefined;
    throw messageIdTaken(taskId);
  }

  /** The task to which the client gave its name. */
  taskOf(sent: SendMessageRequest, call: Call): string {
    return taskIdOfDigest(digestOf(sent, call));
  }

  /** A task with its record of this message; undefined when it is missing or foreign. */
  begun(taskId: string, sent: SendMessageRequest, call: Call): Promise<BegunTask | undefined> {
    const { messageId } = sent.message;
    const isUnnamed = call.legacy?.isUnnamed === true;
    return this.store.begun(call.owner, taskId, { messageId, digest: digestOf(sent, call), isUnnamed });
  }

  /** Whether the task has accepted this message. @throws A2AError when it has accepted another message with its id */
  async isTaken(taskId: string, begun: BegunTask, sent: SendMessageRequest, call: Call): Promise<boolean> {
    const { known } = begun;
    if (!this.isKnown(taskId, begun, sent, call)) return false;
    await this.store.confirm(taskId, known);
    return true;
  }

  private isKnown(taskId: string, begun: BegunTask, sent: SendMessageRequest, call: Call): boolean {
    const { mark, firstMark } = begun.known;
    if (firstMark !== undefined && this.isFirst(firstMark, begun, sent, call)) return true;
    // All messages to a task named by its client have the mark of the first one.
    const isOther = firstMark !== undefined && call.legacy?.clientTaskId === undefined;
    if (mark === undefined && !isOther) return false;
    const named = withId(sent, begun.known);
    const isSame =
      mark !== undefined &&
      (isMarkOf(meaningOf(inTask(named, begun), call.principal), mark) ||
        isMarkOf(this.hashBefore(begun.skillId, named, call), mark));
    if (!isSame) throw messageIdTaken(taskId);
    return true;
  }

  /** Whether the message began the task, which its caller may name by now. */
  private isFirst(mark: string, { contextId }: BegunTask, sent: SendMessageRequest, call: Call): boolean {
    const { taskId: _now, ...message } = sent.message;
    const { contextId: named, ...bare } = message;
    const first = isMarkOf(meaningOf({ ...sent, message }, call.principal), mark);
    return first || (named === contextId && isMarkOf(meaningOf({ ...sent, message: bare }, call.principal), mark));
  }

  private async hasBegun(taskId: string, mark: string, sent: SendMessageRequest, call: Call): Promise<boolean> {
    if (isMarkOf(meaningOf(sent, call.principal), mark)) return true;
    const begun = await this.store.begun(call.owner, taskId);
    return begun !== undefined && isMarkOf(this.hashBefore(begun.skillId, sent, call), mark);
  }

  /** The hash stored by the previous version: of the request's text as passed to a skill. */
  private hashBefore(skillId: string, sent: SendMessageRequest, asked: Call): string {
    try {
      const { request, call } = this.choice.trusted(sent, asked);
      const { message, metadata = null } = this.choice.lent(skillId, request, call);
      return hash('sha256', `[${JSON.stringify(message)},${JSON.stringify(metadata)}]`, 'base64url');
    } catch (error) {
      if (error instanceof A2AError) return '';
      throw error;
    }
  }
}

/** The identity of a message that begins a task. */
function digestOf({ message }: SendMessageRequest, { owner, principal, legacy }: Call): string {
  return digestOfNew({ owner, client: principal.client, message, clientTaskId: legacy?.clientTaskId });
}

/** Whether a refused message may be a repeat. */
export function mayBeKnown(error: unknown): boolean {
  return error instanceof A2AError && !PASSING.has(error.kind);
}

/** The message with the id by which its task knows it. */
export function withId(sent: SendMessageRequest, { messageId }: Pick<KnownMessage, 'messageId'>): SendMessageRequest {
  return { ...sent, message: { ...sent.message, messageId } };
}

/** A message of a task belongs to its context, whether it states that or not. */
export function inTask(sent: SendMessageRequest, { contextId }: Pick<BegunTask, 'contextId'>): SendMessageRequest {
  const { message } = sent;
  const isSilent = message.contextId === undefined || message.contextId === '';
  return isSilent ? { ...sent, message: { ...message, contextId } } : sent;
}
