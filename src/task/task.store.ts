import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Json, type JsonObject } from '../protocol/json.js';
import type { Message } from '../protocol/message.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';
import type { Task } from '../protocol/task.js';
import type { TaskState } from '../protocol/task-state.js';
import { CommandRedis } from '../platform/redis/connections.js';
import { Replicas } from '../platform/redis/replicas.js';
import { leadingTo, OPEN_STATES, WAITING_STATES } from './task-rules.js';
import { type ResumeOutcome, resumeOutcome, type ResumeReply } from './resume-outcome.js';
import { digestOfNew, fieldsOf, type NewTask } from './new-task.js';
import type { BegunTask, NextTurn } from './next-turn.js';
import { ServedPlace } from './served-place.js';
import { type ReadOptions, shownArguments, type Snapshot, snapshotOf, type StoredTask } from './snapshot.js';
import { newTaskJson, statusEventHead, statusEventTail, statusText } from './task-json.js';
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

export type CancelOutcome =
  | { readonly kind: 'canceled' | 'requested'; readonly seq: number }
  | { readonly kind: 'terminal'; readonly state: TaskState }
  | { readonly kind: 'not-found' };

/**
 * The callers' side of task state: every method is one script, and sees only the tasks of the owner it is given.
 * What changes a task throws `NotReplicated` where replicas are waited for and do not have it: it is done all the same,
 * and doing it again is safe.
 */
@Injectable()
export class TaskStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly replicas: Replicas,
    private readonly served: ServedPlace,
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

  /** The skill and the metadata of a task; undefined when it is missing or foreign. */
  async begun(owner: string, id: string): Promise<BegunTask | undefined> {
    if (!isTaskId(id)) return undefined;
    const fields = await this.redis.hmget(this.keys.task(id), 'owner', 'skill', 'metadata');
    const [taskOwner, skillId, metadata] = fields.map((value) => value ?? '');
    if (taskOwner !== owner || skillId === undefined) return undefined;
    return { skillId, metadata: metadata === undefined || metadata === '' ? {} : (JSON.parse(metadata) as JsonObject) };
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
    const task = newTaskJson({ id, contextId, status, message, metadata });
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
        this.served.latest,
        ...fieldsOf(input, { contextId, metadata, head: statusEventHead(id, contextId) }),
        ...['state', status.state, 'ts', status.timestamp, 'ms', status.ms, 'message', status.message],
      ],
    );
    const [verdict, seqOrSent, fence, place = 0, served] = reply as
      ['CREATED', number, number, number, number?] | ['SENT', string, undefined];
    if (verdict === 'SENT') return this.sentBefore(seqOrSent, input.requestHash);
    this.served.hear(served);
    await this.confirm(id, seqOrSent);
    return { kind: 'created', taskId: id, seq: seqOrSent, fence, place, nonce, task: Json.ofText(task) };
  }

  /** The first time the task may have been stored and not replicated: that is why its message comes again. */
  private async sentBefore(mark: string, requestHash: string): Promise<CreateOutcome> {
    const [taskId = '', hash] = mark.split(' ');
    if (hash !== requestHash) return { kind: 'conflict' };
    await this.confirm(taskId, 1);
    return { kind: 'sent', taskId };
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
    { trace = {}, acceptedOutputModes, metadata, push }: NextTurn = {},
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
      ...[trace.traceparent ?? '', trace.tracestate ?? ''],
      this.served.latest,
      ...[acceptedOutputModes, metadata].map((value) => (value === undefined ? '' : JSON.stringify(value))),
      ...(push === undefined ? ['', '', 0] : [push.id, push.record, push.most]),
    ]);
    this.served.hear((reply as ResumeReply)[4]);
    const outcome = resumeOutcome(reply as ResumeReply);
    if ('seq' in outcome) await this.confirm(id, outcome.seq);
    return outcome;
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
    const outcome = { kind: verdict === 'CANCELED' ? 'canceled' : 'requested', seq: value as number } as const;
    await this.confirm(id, outcome.seq);
    return outcome;
  }

  /** The task as it stands, with the number of its latest event; undefined when missing or foreign. */
  async read(owner: string, id: string, options: ReadOptions = {}): Promise<Snapshot | undefined> {
    if (!isTaskId(id)) return undefined;
    const { states = false } = options;
    const reply = await TASK_SCRIPTS.read.run(
      this.redis,
      [this.keys.task(id)],
      [id, owner, ...shownArguments(options), states ? 1 : 0],
    );
    return reply === null ? undefined : snapshotOf(reply as StoredTask);
  }

  /** What callers are told is accepted outlives the primary, where replicas are waited for. */
  private confirm(id: string, seq: number): Promise<void> {
    const asked = { key: this.keys.task(id), fields: ['seq'] };
    return this.replicas.confirm(this.keys.markOf(id), asked, ([stored]) => Number(stored ?? 0) >= seq);
  }

  /** The mark of what began a task: in the shard of its digest, and so of the task. */
  private markOf(digest: string): string {
    return this.keys.sent(shardOfDigest(digest), digest);
  }

  private keysOf(id: string): readonly string[] {
    return [this.keys.task(id), this.keys.dueOf(id)];
  }
}

/** A message of the agent that belongs to a task (A2A-SEND-22). */
export function agentMessage(taskId: string, contextId: string, text: string): Message {
  return { messageId: randomUUID(), role: 'ROLE_AGENT', taskId, contextId, parts: [{ text }] };
}
