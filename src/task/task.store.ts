import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Json } from '../protocol/json.js';
import type { Message } from '../protocol/message.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';
import type { Task } from '../protocol/task.js';
import type { TaskState } from '../protocol/task-state.js';
import { CommandRedis } from '../redis/connections.js';
import { leadingTo, OPEN_STATES, WAITING_STATES } from './task-rules.js';
import { statusEventHead, statusEventTail, statusText, taskJson } from './task-json.js';
import {
  digestOf,
  digestOfClientTask,
  isTaskId,
  newNonce,
  newTaskId,
  shardOfDigest,
  taskIdOfDigest,
  TaskKeys,
} from './task.keys.js';
import { digestOfNew, fieldsOf, type NewTask } from './new-task.js';
import { TaskOptions } from './task.options.js';
import { TASK_SCRIPTS } from './task.scripts.js';

export type CreateOutcome =
  | {
      readonly kind: 'created';
      readonly taskId: string;
      readonly seq: number;
      /** The run to queue; 0 when the task needs none. */
      readonly fence: number;
      /** Where the run stands in line; see lib/line.lua. */
      readonly place: number;
      readonly nonce: string;
      readonly task: Json<Task>;
    }
  | { readonly kind: 'sent'; readonly taskId: string }
  | { readonly kind: 'conflict' };

export type ResumeOutcome =
  | { readonly kind: 'resumed'; readonly seq: number; readonly fence: number; readonly place: number }
  | { readonly kind: 'queued' | 'sent'; readonly seq: number }
  | { readonly kind: 'terminal'; readonly state: TaskState }
  | { readonly kind: 'not-found' | 'context-mismatch' | 'conflict' };

export type CancelOutcome =
  | { readonly kind: 'canceled' | 'requested'; readonly seq: number }
  | { readonly kind: 'terminal'; readonly state: TaskState }
  | { readonly kind: 'not-found' };

export interface Snapshot {
  /** Number and nonce of the latest event that this contains. */
  readonly seq: number;
  readonly nonce: string;
  readonly state: TaskState;
  readonly contextId: string;
  readonly task: Json<Task>;
}

export interface ReadOptions {
  /** Most recent messages; undefined = all, 0 = none. */
  readonly historyLength?: number | undefined;
  /** Default true. */
  readonly artifacts?: boolean;
}

/** The callers' side of task state: every method is one script, and sees only the tasks of the owner it is given. */
@Injectable()
export class TaskStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** An id for the task that a message begins: in the shard where a repetition of the message meets its mark. */
  newId(owner: string, messageId: string): string {
    return newTaskId(shardOfDigest(digestOf(owner, messageId)));
  }

  /** The id of the task that a client of this owner has named itself, whether there is one or not (D01-01). */
  idOfClientTask(owner: string, clientTaskId: string): string {
    return taskIdOfDigest(digestOfClientTask(owner, clientTaskId));
  }

  /** The protocol version in which a task was created; undefined when it is missing or foreign (DISP-07). */
  async dialect(owner: string, id: string): Promise<ProtocolVersion | undefined> {
    if (!isTaskId(id)) return undefined;
    const [taskOwner, dialect] = await this.redis.hmget(this.keys.task(id), 'owner', 'dialect');
    return taskOwner === owner ? (dialect as ProtocolVersion) : undefined;
  }

  /** Begins a task, or finds the one that the same message or a client's own name for it began (A2A-SEND-14). */
  async create(input: NewTask): Promise<CreateOutcome> {
    const digest = digestOfNew(input);
    const { id } = input;
    const contextId = input.contextId ?? randomUUID();
    const nonce = newNonce();
    const message = JSON.stringify({ ...input.message, taskId: id, contextId });
    const rejection = 'rejection' in input.fate ? agentMessage(id, contextId, input.fate.rejection) : undefined;
    const state = rejection === undefined ? 'TASK_STATE_SUBMITTED' : 'TASK_STATE_REJECTED';
    const status = statusText(state, new Date(), rejection);
    const metadata = input.metadata === undefined ? '' : JSON.stringify(input.metadata);
    const task = taskJson({ id, contextId, ...status, metadata, history: [message], artifacts: [] });
    const reply = await TASK_SCRIPTS.create.run(
      this.redis,
      [...this.keysOf(id), this.markOf(digest)],
      [
        id,
        input.requestHash,
        this.options.sentTtlMs,
        nonce,
        `{"task":${task}}`,
        message,
        rejection === undefined ? '' : this.options.terminalTtlMs,
        this.options.jobGraceMs,
        input.push?.id ?? '',
        input.push?.record ?? '',
        ...fieldsOf(input, { contextId, metadata, head: statusEventHead(id, contextId) }),
        ...['state', status.state, 'ts', status.timestamp, 'ms', status.ms, 'message', status.message],
      ],
    );
    const [verdict, seqOrSent, fence, place = 0] = reply as
      ['CREATED', number, number, number?] | ['SENT', string, undefined];
    if (verdict === 'CREATED')
      return { kind: 'created', taskId: id, seq: seqOrSent, fence, place, nonce, task: Json.ofText(task) };
    const [taskId = '', hash] = seqOrSent.split(' ');
    return hash === input.requestHash ? { kind: 'sent', taskId } : { kind: 'conflict' };
  }

  /** Whether the same message, or the client's own name for the task, has begun one before. */
  async knows(input: NewTask): Promise<boolean> {
    return (await this.redis.exists(this.markOf(digestOfNew(input)))) === 1;
  }

  /** Adds a message to a task: it begins the next turn, or waits for the one that runs to end. */
  async resume(
    owner: string,
    message: Message & { readonly taskId: string },
    requestHash: string,
  ): Promise<ResumeOutcome> {
    const id = message.taskId;
    if (!isTaskId(id)) return { kind: 'not-found' };
    const contextId = message.contextId ?? (await this.redis.hget(this.keys.task(id), 'context')) ?? '';
    const status = statusText('TASK_STATE_WORKING', new Date(), undefined);
    const reply = await TASK_SCRIPTS.resume.run(this.redis, this.keysOf(id), [
      id,
      owner,
      contextId,
      message.messageId,
      requestHash,
      JSON.stringify({ ...message, contextId }),
      newNonce(),
      OPEN_STATES,
      WAITING_STATES,
      status.state,
      statusEventTail(status),
      status.timestamp,
      status.ms,
      this.options.jobGraceMs,
    ]);
    return resumeOutcome(reply as [string, (number | string)?, number?, number?]);
  }

  /** Cancels a task: at once when nobody runs it, else by telling its worker (A2A-CANC-01, -07). */
  async cancel(owner: string, id: string): Promise<CancelOutcome> {
    if (!isTaskId(id)) return { kind: 'not-found' };
    const status = statusText('TASK_STATE_CANCELED', new Date(), undefined);
    const reply = await TASK_SCRIPTS.cancel.run(this.redis, this.keysOf(id), [
      id,
      owner,
      newNonce(),
      leadingTo(status.state),
      status.state,
      statusEventTail(status),
      status.timestamp,
      status.ms,
      status.message,
      this.options.cancelGraceMs,
      this.options.terminalTtlMs,
    ]);
    const [verdict, value] = reply as [string, (number | string)?];
    if (verdict === 'NOT_FOUND') return { kind: 'not-found' };
    if (verdict === 'TERMINAL') return { kind: 'terminal', state: value as TaskState };
    return { kind: verdict === 'CANCELED' ? 'canceled' : 'requested', seq: value as number };
  }

  /** The task as it stands, with the number of its latest event; undefined when missing or foreign. */
  async read(owner: string, id: string, options: ReadOptions = {}): Promise<Snapshot | undefined> {
    if (!isTaskId(id)) return undefined;
    const { historyLength = -1, artifacts = true } = options;
    const reply = await TASK_SCRIPTS.read.run(
      this.redis,
      [this.keys.task(id)],
      [owner, historyLength, artifacts ? 1 : 0],
    );
    if (reply === null) return undefined;
    const [state, timestamp, message, contextId, metadata, seq, nonce, history, listed] = reply as [
      TaskState,
      string,
      string,
      string,
      string,
      number,
      string,
      string[],
      string[],
    ];
    const text = taskJson({
      ...{ id, contextId, state, timestamp, message, metadata, history },
      artifacts: artifacts ? listed : undefined,
    });
    return { seq, nonce, state, contextId, task: Json.ofText(text) };
  }

  /** The mark of what began a task: in the shard of its digest, and so of the task. */
  private markOf(digest: string): string {
    return this.keys.sent(shardOfDigest(digest), digest);
  }

  private keysOf(id: string): readonly string[] {
    return [this.keys.task(id), this.keys.dueOf(id), this.keys.indexOf(id)];
  }
}

/** A message of the agent that belongs to a task (A2A-SEND-22). */
export function agentMessage(taskId: string, contextId: string, text: string): Message {
  return { messageId: randomUUID(), role: 'ROLE_AGENT', taskId, contextId, parts: [{ text }] };
}

function resumeOutcome([verdict, value, fence, place]: [string, (number | string)?, number?, number?]): ResumeOutcome {
  switch (verdict) {
    case 'RESUMED':
      return { kind: 'resumed', seq: value as number, fence: fence ?? 0, place: place ?? 0 };
    case 'QUEUED':
      return { kind: 'queued', seq: value as number };
    case 'SENT':
      return { kind: 'sent', seq: value as number };
    case 'TERMINAL':
      return { kind: 'terminal', state: value as TaskState };
    case 'CONTEXT':
      return { kind: 'context-mismatch' };
    case 'CONFLICT':
      return { kind: 'conflict' };
    default:
      return { kind: 'not-found' };
  }
}
