import { Inject, Injectable } from '@nestjs/common';
import { RunRedis } from '../platform/redis/connections.js';
import type { TraceCarrier } from '../platform/tracing/trace-carrier.js';
import { leadingTo, OPEN_STATES, WAITING_STATES } from './task-rules.js';
import { statusEventHead, statusEventTail, statusText } from './task-json.js';
import { newNonce, TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';
import { TASK_SCRIPTS } from './task.scripts.js';
import type { JsonObject } from '../protocol/json.js';
import type { Message } from '../protocol/message.js';
import { isTerminal, type TaskState } from '../protocol/task-state.js';

/** The right to write to a task: held by one run, lost for ever when another run begins. */
export interface Hold {
  readonly taskId: string;
  readonly contextId: string;
  readonly fence: number;
  readonly nonce: string;
}

/** All that a worker needs of a task to run its turn. */
export interface ClaimedRun extends Hold {
  readonly owner: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject: string;
  readonly skillId: string;
  readonly turn: number;
  readonly attempt: number;
  /** Whether the task is WORKING already; else the first event of the run says so. */
  readonly isWorking: boolean;
  /** The number of the task's latest event. */
  readonly seq: number;
  readonly metadata: JsonObject;
  readonly acceptedOutputModes: readonly string[];
  /** Where this turn continues its caller's trace. */
  readonly trace: TraceCarrier;
  /** The W3C traceparent of the run before this one, where that was recorded; else ''. */
  readonly runBefore: string;
  /** The messages that began this turn. */
  readonly messages: readonly Message[];
  readonly history: readonly Message[];
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly run: ClaimedRun }
  /** Nothing to do: the task is gone or finished, or this run was claimed or replaced before. */
  | { readonly kind: 'gone' | 'terminal' | 'stale' };

/** What a run commits. */
export type TaskWrite =
  | { readonly kind: 'status'; readonly state: TaskState; readonly message?: Message; readonly metadata?: JsonObject }
  | {
      readonly kind: 'artifact';
      readonly artifactId: string;
      /** The artifact's members but its parts. */
      readonly described: JsonObject;
      readonly parts: readonly unknown[];
      readonly append: boolean;
      readonly lastChunk: boolean;
    };

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly seq: number }
  /** The turn ended, but messages wait: the next turn runs under this fence. */
  | { readonly kind: 'next-turn'; readonly fence: number; readonly place: number }
  /** The caller wants the task canceled: nothing was written. */
  | { readonly kind: 'cancel' }
  /** Another run has the task, or it is finished or gone: nothing was written, and this run must stop. */
  | { readonly kind: 'lost' };

/** The worker's side of task state. Every write carries fence and nonce and is refused when another run has begun. */
@Injectable()
export class RunStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Takes a run: once per fence. `channel` is where the worker hears of a cancel. */
  async claim(taskId: string, fence: number, channel: string): Promise<ClaimOutcome> {
    const nonce = newNonce();
    const reply = await TASK_SCRIPTS.claim.run(this.redis, this.keysOf(taskId), [
      taskId,
      fence,
      nonce,
      channel,
      this.options.leaseMs,
      OPEN_STATES,
      WAITING_STATES,
      ...RUN_FIELDS,
    ]);
    const [verdict, values, history] = reply as [string, (string | null)[], string[]];
    if (verdict !== 'CLAIMED')
      return { kind: verdict === 'GONE' ? 'gone' : verdict === 'STALE' ? 'stale' : 'terminal' };
    return { kind: 'claimed', run: claimedRun({ taskId, fence, nonce }, values, history) };
  }

  /**
   * Writes events in one atomic step, all or none. `after` is the number of the event before them: a commit that is sent
   * again, because its reply was lost, counts once. Throws a RangeError for a move that the state machine forbids.
   */
  async commit(hold: Hold, after: number, writes: readonly TaskWrite[]): Promise<CommitOutcome> {
    const now = new Date();
    const reply = await TASK_SCRIPTS.commit.run(this.redis, this.keysOf(hold.taskId), [
      hold.taskId,
      hold.fence,
      hold.nonce,
      OPEN_STATES,
      this.options.leaseMs,
      this.options.jobGraceMs,
      after,
      ...writes.flatMap((write) => this.argumentsOf(hold, write, now)),
    ]);
    const [verdict, value, fence, place] = reply as [string, (number | string)?, number?, number?];
    switch (verdict) {
      case 'OK':
        return { kind: 'committed', seq: value as number };
      case 'NEXT':
        return { kind: 'next-turn', fence: fence ?? 0, place: place ?? 0 };
      case 'CANCEL':
        return { kind: 'cancel' };
      case 'ILLEGAL':
        throw new RangeError(`A task in ${String(value)} cannot take this event`);
      case 'UNKNOWN_ARTIFACT':
        throw new RangeError(`No artifact ${String(value)} to append to`);
      default:
        return { kind: 'lost' };
    }
  }

  /** Keeps the lease; tells whether the run may go on. */
  async heartbeat(hold: Hold): Promise<'ok' | 'cancel' | 'lost'> {
    const args = [hold.fence, hold.nonce, OPEN_STATES, this.options.leaseMs];
    const verdict = await TASK_SCRIPTS.heartbeat.run(this.redis, [this.keys.task(hold.taskId)], args);
    if (verdict === 'OK') return 'ok';
    return verdict === 'CANCEL' ? 'cancel' : 'lost';
  }

  /**
   * Gives the run back; returns the fence of the next run, or undefined when it was not ours any more. Whoever leaves
   * hands it over; a broken run counts as an attempt, and its next one begins `delayMs` later.
   */
  async release(hold: Hold, how: 'handed-over' | 'broken', delayMs = 0): Promise<number | undefined> {
    const reply = await TASK_SCRIPTS.release.run(this.redis, this.keysOf(hold.taskId), [
      ...[hold.taskId, hold.fence, hold.nonce],
      ...[OPEN_STATES, this.options.jobGraceMs + delayMs, how === 'broken' ? 1 : 0],
    ]);
    const [verdict, fence] = reply as [string, number?];
    return verdict === 'RELEASED' ? fence : undefined;
  }

  readState(hold: Hold, name: string): Promise<string | null> {
    return this.redis.hget(this.keys.state(hold.taskId), name);
  }

  readStep(hold: Hold, name: string): Promise<string | null> {
    return this.redis.hget(this.keys.steps(hold.taskId), name);
  }

  /** Stores one value beside the task; false when the run has lost it. */
  async write(hold: Hold, where: 'state' | 'steps', name: string, json: string): Promise<boolean> {
    const key = where === 'state' ? this.keys.state(hold.taskId) : this.keys.steps(hold.taskId);
    const args = [hold.fence, hold.nonce, OPEN_STATES, name, json];
    return (await TASK_SCRIPTS.note.run(this.redis, [this.keys.task(hold.taskId), key], args)) === 'OK';
  }

  /** Notes the span of this run, so that a run after it can name it. */
  async noteSpan(hold: Hold, traceparent: string): Promise<void> {
    const task = this.keys.task(hold.taskId);
    await TASK_SCRIPTS.note.run(this.redis, [task, task], [hold.fence, hold.nonce, OPEN_STATES, 'span', traceparent]);
  }

  private argumentsOf(hold: Hold, write: TaskWrite, now: Date): readonly (string | number)[] {
    if (write.kind === 'artifact') return artifactArguments(hold, write);
    const status = statusText(write.state, now, write.message);
    const body = statusEventHead(hold.taskId, hold.contextId) + statusEventTail(status, write.metadata);
    const from = leadingTo(write.state);
    return ['S', body, status.state, from, status.timestamp, status.ms, status.message, this.leaving(write.state)];
  }

  /** How a status leaves the turn; the end of a turn that went well gives way to messages that came meanwhile. */
  private leaving(state: TaskState): string {
    if (state === 'TASK_STATE_WORKING') return '';
    if (!isTerminal(state)) return `+I${String(this.options.interruptedTtlMs)}`;
    return `${state === 'TASK_STATE_COMPLETED' ? '+' : ''}E${String(this.options.terminalTtlMs)}`;
  }

  private keysOf(id: string): readonly string[] {
    return [this.keys.task(id), this.keys.dueOf(id)];
  }
}

function artifactArguments(hold: Hold, write: Extract<TaskWrite, { kind: 'artifact' }>): readonly string[] {
  const described = JSON.stringify({ artifactId: write.artifactId, ...write.described }).slice(0, -1);
  const parts = JSON.stringify(write.parts).slice(1, -1);
  const flags = (write.append ? ',"append":true' : '') + (write.lastChunk ? ',"lastChunk":true' : '');
  const ids = `"taskId":${JSON.stringify(hold.taskId)},"contextId":${JSON.stringify(hold.contextId)}`;
  const body = `{"artifactUpdate":{${ids},"artifact":${described},"parts":[${parts}]}${flags}}}`;
  return ['A', body, write.artifactId, `${described},"parts":[`, parts, write.append ? 'A' : 'N', '', ''];
}

/** What a run needs of its task's hash. */
const RUN_FIELDS = [
  ...(['context', 'owner', 'tenant', 'client', 'subject', 'skill', 'turn', 'attempts'] as const),
  ...(['metadata', 'modes', 'trace', 'tracestate', 'span', 'seq', 'state', 'inbox'] as const),
] as const;

function claimedRun(
  held: { taskId: string; fence: number; nonce: string },
  values: readonly (string | null)[],
  said: readonly string[],
): ClaimedRun {
  const text = (name: (typeof RUN_FIELDS)[number]): string => values[RUN_FIELDS.indexOf(name)] ?? '';
  const history = said.map((message) => JSON.parse(message) as Message);
  const inbox = new Set(text('inbox').match(/\d+/g)?.map(Number));
  return {
    ...held,
    contextId: text('context'),
    owner: text('owner'),
    tenant: text('tenant'),
    client: text('client'),
    subject: text('subject'),
    skillId: text('skill'),
    turn: Number(text('turn')),
    attempt: Number(text('attempts')),
    seq: Number(text('seq')),
    isWorking: text('state') === 'TASK_STATE_WORKING',
    metadata: text('metadata') === '' ? {} : (JSON.parse(text('metadata')) as JsonObject),
    acceptedOutputModes: JSON.parse(text('modes')) as string[],
    trace: { traceparent: text('trace'), tracestate: text('tracestate') },
    runBefore: text('span'),
    messages: history.filter((_message, at) => inbox.has(at)),
    history,
  };
}
