import { randomUUID } from 'node:crypto';
import type { Message } from '@parley/protocol/model/message.js';
import type { Task } from '@parley/protocol/model/task.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { Replicas } from '../../../src/platform/redis/replicas.js';
import type { BeginningSlot } from '../../../src/tasks/store/begin-arguments.js';
import { ContextStore } from '../../../src/tasks/values/context.store.js';
import { EventWebhooks } from '../../../src/tasks/publications/event-webhooks.store.js';
import { EventLog, type LoggedEvent } from '../../../src/tasks/commit/event-log.js';
import {
  type Beat,
  type Claim,
  type ClaimedRun,
  RunStore,
  type TaskWrite,
} from '../../../src/tasks/commit/run.store.js';
import { LiveEvents } from '../../../src/tasks/commit/live-events.js';
import { QuestionBoard } from '../../../src/agents/questions/question-board.js';
import { MirrorStore } from '../../../src/tasks/tree/mirror.store.js';
import { OperatorValues } from '../../../src/tasks/values/operator-values.store.js';
import { PublishedEvents } from '../../../src/tasks/publications/published-events.store.js';
import { QuestionStore } from '../../../src/tasks/questions/question.store.js';
import { RedisClock } from '../../../src/platform/redis/redis-clock.js';
import { FairQueue } from '../../../src/tasks/store/fair-queue.js';
import { ServedPosition } from '../../../src/tasks/store/served-position.js';
import { SweepStore } from '../../../src/tasks/store/sweep.store.js';
import { TaskIndex } from '../../../src/tasks/lists/task-index.js';
import { type StateWord, stateWord } from '../../../src/tasks/record/state-word.js';
import { shardOf, TaskKeys } from '../../../src/tasks/task.keys.js';
import { TASK_DEFAULTS, type TaskOptions } from '../../../src/tasks/task.options.js';
import type { NewTask } from '../../../src/tasks/record/new-task.js';
import { type CreateOutcome, TaskStore } from '../../../src/tasks/store/task.store.js';
import { CancelCascade } from '../../../src/tasks/tree/cancel-cascade.js';
import { TreeStore } from '../../../src/tasks/tree/tree.store.js';

export const OWNER = 'default/client:tests';
/** A hold that outlives every test, so that only what a test does on purpose ends a lease. */
const LONG_MS = 3_600_000;

/** All stores over one connection and one key prefix, and short words for what tests do with them. */
export class TaskStores {
  readonly options: TaskOptions;
  readonly keys: TaskKeys;
  readonly tasks: TaskStore;
  readonly runs: RunStore;
  readonly sweeps: SweepStore;
  readonly index: TaskIndex;
  readonly log: EventLog;
  readonly contexts: ContextStore;
  readonly operatorValues: OperatorValues;
  readonly queue: FairQueue;
  readonly trees: TreeStore;
  readonly mirrors: MirrorStore;
  readonly canceler: CancelCascade;
  readonly questions: QuestionStore;
  readonly board: QuestionBoard;
  readonly published: PublishedEvents;
  readonly webhooks: EventWebhooks;
  readonly live = new LiveEvents();

  constructor(
    readonly redis: RedisClient,
    options: Partial<TaskOptions> = {},
  ) {
    this.options = { ...TASK_DEFAULTS, keyPrefix: `test-${randomUUID()}`, leaseMs: LONG_MS, ...options };
    this.keys = new TaskKeys(this.options.keyPrefix);
    const clock = new RedisClock();
    const served = new ServedPosition();
    this.tasks = new TaskStore(redis, this.options, Replicas.none(), served, clock);
    this.runs = new RunStore(redis, redis, this.options, clock, this.live);
    this.sweeps = new SweepStore(redis, this.options, clock, served);
    this.mirrors = new MirrorStore(redis, this.options, served, clock);
    this.trees = new TreeStore(redis, this.options, clock, served, this.tasks);
    this.canceler = new CancelCascade(redis, this.options, this.tasks, this.mirrors, clock);
    this.questions = new QuestionStore(redis, this.options, clock);
    this.published = new PublishedEvents(redis, this.options);
    this.webhooks = new EventWebhooks(redis, this.options);
    this.board = new QuestionBoard(this.questions, this.tasks);
    this.queue = new FairQueue(redis, this.options, clock);
    this.index = new TaskIndex(redis, this.options);
    this.log = new EventLog(redis, this.options);
    this.contexts = new ContextStore(redis, this.options);
    this.operatorValues = new OperatorValues(redis, this.options);
  }

  static connect(url: string, options: Partial<TaskOptions> = {}): TaskStores {
    const redis = connect(url, 'operator');
    redis.on('error', () => undefined);
    return new TaskStores(redis, options);
  }

  /** The same tasks under other rules of time, for example leases that are over at once. */
  with(options: Partial<TaskOptions>): TaskStores {
    return new TaskStores(this.redis, { ...this.options, ...options });
  }

  /** Sends the message that begins a task. */
  create(changes: Partial<NewTask> = {}, slot?: BeginningSlot): Promise<CreateOutcome> {
    const message = changes.message ?? aMessage();
    const owner = changes.owner ?? OWNER;
    const task = {
      id: this.tasks.newIdentity(owner, changes.client ?? 'tests', message.messageId).id,
      ...{ owner, message, tenant: 'default', client: 'tests', routing: { skillId: 'echo' }, dialect: '1.0' as const },
      requestHash: JSON.stringify(message.parts).replaceAll(' ', ''),
      ...changes,
    };
    return this.tasks.create(task, slot);
  }

  /** A new task, not yet run. */
  async submitted(changes: Partial<NewTask> = {}): Promise<{ readonly id: string; readonly fence: number }> {
    const outcome = await this.create(changes);
    if (outcome.kind !== 'created') throw new Error(`the task was not created: ${outcome.kind}`);
    return { id: outcome.taskId, fence: outcome.fence };
  }

  /** Makes many tasks, a hundred at a time: on a busy machine more at once outlast the deadline of a command. */
  async many(count: number, make: () => Promise<unknown>): Promise<void> {
    for (let left = count; left > 0; left -= 100) await Promise.all(Array.from({ length: Math.min(left, 100) }, make));
  }

  /** A new task that a worker runs. */
  async running(changes: Partial<NewTask> = {}): Promise<ClaimedRun> {
    const { id, fence } = await this.submitted(changes);
    return this.claimed(id, fence);
  }

  async claimed(id: string, fence: number): Promise<ClaimedRun> {
    const outcome = await this.runs.claim(id, fence, 'worker');
    if (outcome.kind !== 'claimed') throw new Error(`the run was not claimed: ${outcome.kind}`);
    return this.begun(outcome.run);
  }

  /** What a worker writes first: that the task is worked on. */
  private async begun(run: ClaimedRun): Promise<ClaimedRun> {
    if (run.isWorking) return run;
    const outcome = await this.runs.commit(run, run.seq, [{ ...progress, isOfService: true }]);
    if (outcome.kind !== 'committed') throw new Error(`the run did not begin: ${outcome.kind}`);
    return { ...run, isWorking: true, seq: outcome.seq };
  }

  /** Renews the lease of one run; whether it may continue. */
  async heartbeat(claim: Claim): Promise<Beat> {
    return (await this.runs.heartbeats([claim])).get(claim.taskId) ?? 'lost';
  }

  /** A task that waits for its caller's answer. */
  async waiting(changes: Partial<NewTask> = {}): Promise<ClaimedRun> {
    const run = await this.running(changes);
    await this.runs.commit(run, run.seq, [{ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED' }]);
    return run;
  }

  /** A task that has ended well. */
  async completed(changes: Partial<NewTask> = {}): Promise<ClaimedRun> {
    const run = await this.running(changes);
    await this.runs.commit(run, run.seq, [done]);
    return run;
  }

  async task(id: string): Promise<Task> {
    const snapshot = await this.tasks.read('*', id);
    if (snapshot === undefined) throw new Error(`there is no task ${id}`);
    return snapshot.task.value;
  }

  events(id: string): Promise<readonly LoggedEvent[]> {
    return this.log.from(id, 1, 100_000);
  }

  field(id: string, name: string): Promise<string | null> {
    return this.redis.hget(this.keys.task(id), name);
  }

  /** The state word of a task. */
  async word(id: string): Promise<StateWord> {
    return stateWord((await this.field(id, 's')) ?? '');
  }

  /** The time of a task's status as lists have it, 13 digits. */
  async ms(id: string): Promise<string> {
    return ((await this.field(id, 't')) ?? '').slice(0, 13);
  }

  /** When the sweep looks at an open task, ms since 1970. */
  async dueAt(id: string): Promise<number> {
    return Number(await this.redis.zscore(this.keys.dueOf(id), id));
  }

  /** What the passing of a run's lease does: nothing but that its time is over. */
  async expireLease(id: string): Promise<void> {
    await this.redis.zadd(this.keys.dueOf(id), 'XX', 1, id);
  }

  /** What the end of a retention, of the wait for an answer, or of that of a parked task does. */
  async expireTime(id: string): Promise<void> {
    const shard = shardOf(id);
    for (const set of [this.keys.due(shard), this.keys.parked(shard), this.keys.over(shard)])
      await this.redis.zadd(set, 'XX', 1, id);
  }

  /** What the passing of the cancel's grace does. */
  async expireCancelGrace(id: string): Promise<void> {
    await this.redis.hset(this.keys.task(id), 'k', '1');
    await this.redis.zadd(this.keys.dueOf(id), 'XX', 1, id);
  }
}

export const progress = { kind: 'status', state: 'TASK_STATE_WORKING' } as const satisfies TaskWrite;
export const done = { kind: 'status', state: 'TASK_STATE_COMPLETED' } as const satisfies TaskWrite;
export const asking = { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED' } as const satisfies TaskWrite;

/** A piece of an artifact; `append` false begins it. */
export function piece(artifactId: string, text: string, append = false): Extract<TaskWrite, { kind: 'artifact' }> {
  return { kind: 'artifact', artifactId, described: {}, parts: [{ text }], append, lastChunk: false };
}

export function aMessage(changes: Partial<Message> = {}): Message {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }], ...changes };
}

/** A message of the owner to a task that exists. */
export function anAnswer(taskId: string, changes: Partial<Message> = {}): Message & { readonly taskId: string } {
  return { ...aMessage(changes), taskId };
}
