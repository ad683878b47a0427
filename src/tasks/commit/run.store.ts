import type { LoggedEvent } from './event-log.js';
import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis, RunRedis } from '../../platform/redis/connection/connections.js';
import type { ScriptReply } from '../../platform/redis/script/redis-script.js';
import { isRedisOutage } from '../../platform/redis/connection/redis-outage.js';
import { Json } from '@parley/protocol/model/json.js';
import {
  type ClaimedRun,
  claimedRun,
  type ClaimReply,
  type Claim,
  type LateMessage,
  RUN_FIELDS,
} from './claimed-run.js';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { CommitArguments } from './commit-arguments.js';
import { NO_NOTES, type ParkOutcome, type RunNotes, type Wait } from './wait.js';
import { notesOfChild } from './child-note.js';
import { type CommitPlan, CommitPlanner, type TaskWrite } from './commit-plan.js';
import { RunHolds } from './run-holds.js';
import type { Beat, ClaimOutcome, CommitOutcome } from './run-outcomes.js';
import { LiveEvents } from './live-events.js';
import { RedisClock } from '../../platform/redis/redis-clock.js';
import { JournalFull, RunNotebook } from './run-notebook.js';
import type { RunProgress } from './run-progress.js';
import { wordText } from '../record/state-word.js';
import { OPEN_STATES, WAITING_STATES } from '../record/task-rules.js';
import { traitsOf } from '../record/task-record.js';
import { newNonce, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { FIELD } from '../task-fields.js';

export { JournalFull };
export type { Beat, Claim, ClaimedRun, CommitOutcome, LateMessage, ParkOutcome, RunNotes, TaskWrite, Wait };

/** The end of a turn may exceed the bytes of a task by this: otherwise a full task could not end. */
const END_BYTES = 64 * 1024;

/** The worker's side of task state. Every write carries fence and nonce and is refused when another run has begun. */
@Injectable()
export class RunStore {
  /** The writes of runs besides their events. */
  readonly notebook: RunNotebook;
  private readonly keys: TaskKeys;
  private readonly holds: RunHolds;

  /** @param redis waits for Redis to return, since a run must not lose an event */
  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(CommandRedis) private readonly quick: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly clock: RedisClock,
    private readonly live: LiveEvents,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
    this.holds = new RunHolds(redis, options);
    this.notebook = new RunNotebook(redis, this.keys, options);
  }

  /**
   * Claims a run: once per fence, 'any' means the current one. `channel` is the worker's channel for cancels. A suspect
   * that `isAlone` in its process is charged for its loss.
   */
  async claim(taskId: string, fence: number | 'any', channel: string, isAlone = true): Promise<ClaimOutcome> {
    const nonce = newNonce();
    const sentAt = Date.now();
    const keys = {
      ...{ task: this.keys.task(taskId), due: this.keys.dueOf(taskId), ...this.keys.queuesOf(taskId) },
      ...{ history: this.keys.history(taskId), journal: this.keys.journal(taskId) },
    };
    const args = {
      ...{ id: taskId, fence: fence === 'any' ? '*' : fence, nonce, worker: channel, leaseMs: this.options.leaseMs },
      ...{ openStates: OPEN_STATES, waitingStates: WAITING_STATES, maxEarlier: this.options.historyForRun },
      ...{ isAlone: isAlone ? 1 : 0, fields: RUN_FIELDS },
    };
    // Over the connection of commits, so that the claim of the next run is sent together with the last commit of the
    // previous one.
    const reply = await this.sent((redis) => TASK_SCRIPTS.claim.run(redis, keys, args));
    const [verdict, redisMs] = reply as [string, number];
    if (verdict !== 'CLAIMED')
      return { kind: verdict === 'GONE' ? 'gone' : verdict === 'STALE' ? 'stale' : 'terminal' };
    this.clock.observe(redisMs, sentAt);
    return { kind: 'claimed', run: claimedRun(taskId, channel, reply as ClaimReply) };
  }

  /**
   * Writes events in one atomic step, all or none. `after` is the number of the event before them: a commit that is
   * sent again, because its reply was lost, counts once. Throws a RangeError for a transition that the state machine
   * forbids, and `JournalFull`.
   */
  commit(run: ClaimedRun, after: number, writes: readonly TaskWrite[], notes = NO_NOTES): Promise<CommitOutcome> {
    return run.log.inTurn(() => this.commitNow(run, after, writes, notes));
  }

  private async commitNow(
    run: ClaimedRun,
    after: number,
    writes: readonly TaskWrite[],
    notes: RunNotes,
  ): Promise<CommitOutcome> {
    const progress = run.log.at(after);
    if (progress === undefined || progress.hasEnded) return { kind: 'lost' };
    try {
      const plan = this.planned(run, progress, writes, false);
      if (this.isTooLarge(run, plan)) return { kind: 'too-large' };
      return await this.commitPlan({ run, progress, writes, notes }, plan);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const kind = await this.notHeld(run, progress);
      if (kind === undefined) throw error;
      return { kind };
    }
  }

  /** Maximum bytes stored by callers and skill in a task. */
  get mostBytes(): number {
    return this.options.mostBytes;
  }

  private isTooLarge({ messageBytes }: ClaimedRun, { next, sequel }: CommitPlan): boolean {
    const reserve = sequel === 'go' || sequel === 'ask' ? 0 : END_BYTES;
    return messageBytes + next.bytes > this.options.mostBytes + reserve;
  }

  /**
   * Commits the run's events and parks its task: from then on nothing holds it, and the sweep or a message puts it into
   * the fair queue when its wait ends. Safe to repeat. @throws JournalFull
   */
  park(
    run: ClaimedRun,
    after: number,
    { writes, wait, notes }: { readonly writes: readonly TaskWrite[]; readonly wait: Wait; readonly notes: RunNotes },
  ): Promise<ParkOutcome> {
    return run.log.inTurn(async () => {
      const progress = run.log.at(after);
      if (progress === undefined || progress.hasEnded) return 'lost';
      const status = wait.asks?.status;
      const all = status === undefined ? writes : [...writes, status];
      const plan = withProgress(this.planned(run, progress, all, false), notes, true);
      if (this.isTooLarge(run, plan)) return 'too-large';
      const note = notesOfChild(run, plan, { writes: all, now: this.clock.now() });
      const [{ keys, args }, sentAt] = [this.argumentsOf(run, progress, plan, notes).ofPark(wait, note), Date.now()];
      await this.keepFurtherParts(run.taskId, { artifacts: plan.next.artifacts.length, ttl: args.ttl });
      const [verdict, redisMs = 0, used] = (await TASK_SCRIPTS.park.run(this.redis, keys, args)) as ParkReply;
      if (verdict === 'FULL') throw new JournalFull();
      if (verdict !== 'OK') return PARKS[verdict];
      this.clock.observe(redisMs, sentAt);
      if (used === 1) this.live.changed(run.taskId);
      this.committed(run, plan);
      return 'parked';
    });
  }

  /** Renews the TTLs of the artifacts that are too many for the script of a park. */
  private async keepFurtherParts(
    taskId: string,
    { artifacts, ttl }: { readonly artifacts: number; readonly ttl: string | number },
  ): Promise<void> {
    for (const lists of this.keys.furtherParts(taskId, artifacts))
      await Promise.all(lists.map((list) => this.redis.pexpire(list, ttl)));
  }

  /** Maximum wait for an answer, ms. */
  get longestAnswerMs(): number {
    return this.options.interruptedTtlMs;
  }

  /** The clock of Redis, ms since 1970. */
  now(): number {
    return this.clock.now();
  }

  /** The reason why no commit of the run would count, or undefined. */
  private async notHeld(run: ClaimedRun, progress: RunProgress): Promise<'lost' | 'cancel' | undefined> {
    const [word, cancel] = await this.redis.hmget(this.keys.task(run.taskId), FIELD.word, FIELD.cancel);
    if (word !== wordText({ ...progress, fence: run.fence, nonce: run.nonce })) return 'lost';
    return cancel === null || cancel === undefined ? undefined : 'cancel';
  }

  private planned(
    run: ClaimedRun,
    progress: RunProgress,
    writes: readonly TaskWrite[],
    hasMessages: boolean,
  ): CommitPlan {
    // Never earlier than the preceding status.
    const ms = Math.max(this.clock.now(), Number(progress.ms));
    return new CommitPlanner(run, progress, ms, hasMessages).plan(writes);
  }

  private async commitPlan(commit: GeneralCommit, planned: CommitPlan): Promise<CommitOutcome> {
    const { run, progress, writes, notes } = commit;
    const plan = withProgress(planned, notes);
    const note = notesOfChild(run, plan, { writes, now: this.clock.now() });
    const { keys, args } = this.argumentsOf(run, progress, plan, notes).ofCommit(note);
    const sentAt = Date.now();
    const reply = (await this.sent((redis) => TASK_SCRIPTS.commit.run(redis, keys, args))) as CommitReply;
    const [verdict, redisMs = 0, position = 0, runs = 0, used, parentFence] = reply;
    switch (verdict) {
      case 'OK':
        this.clock.observe(redisMs, sentAt);
        // The use of models has no event.
        if (used === 1) this.live.changed(run.taskId);
        this.committed(run, plan);
        if (plan.sequel === 'next') return { kind: 'next-turn', fence: run.fence + 1, position };
        return {
          ...{ kind: 'committed', seq: plan.next.seq },
          ...(runs === 0 ? {} : { runs }),
          ...(parentFence === undefined ? {} : { parentFence }),
        };
      case 'CANCEL':
        return { kind: 'cancel' };
      case 'LATE':
        // This change has no event: a reader that builds the task from its events must read the task instead.
        this.live.changed(run.taskId);
        return this.commitPlan(commit, this.planned(run, progress, writes, true));
      case 'FULL':
        throw new JournalFull();
      case 'LOST':
        return { kind: 'lost' };
    }
  }

  private committed(run: ClaimedRun, plan: CommitPlan): CommitOutcome {
    const { next } = plan;
    run.log.moveTo(next);
    run.log.notesRead -= plan.notes;
    this.live.publish(run.taskId, () => eventsOf(run, plan));
    return { kind: 'committed', seq: next.seq };
  }

  /** Over the connection that fails fast, and again over the one that waits: comparing words makes that safe. */
  private async sent(run: (redis: RedisClient) => Promise<ScriptReply>): Promise<ScriptReply> {
    try {
      return await run(this.quick);
    } catch (error) {
      if (!isRedisOutage(error)) throw error;
      return run(this.redis);
    }
  }

  private argumentsOf(run: ClaimedRun, progress: RunProgress, plan: CommitPlan, notes = NO_NOTES): CommitArguments {
    return new CommitArguments(this.keys, this.options, { run, progress, plan, notes, now: this.clock.now() });
  }

  /** The skill of a task; '' when the task is deleted or no skill accepted it. */
  async skillOf(taskId: string): Promise<string> {
    const traits = await this.redis.hget(this.keys.task(taskId), FIELD.traits);
    return traits === null ? '' : traitsOf(traits).skillId;
  }

  /** Renews the leases of runs; returns by task id whether each may continue. */
  heartbeats(runs: readonly Claim[]): Promise<ReadonlyMap<string, Beat>> {
    return this.holds.renew(runs);
  }

  /**
   * Releases the run; returns the fence of the next run, or undefined when it had lost its task. `handed-over`: at
   * shutdown; `broken`: a failed run, which counts as an attempt. The next run is in the fair queue, ahead of all that
   * have not begun; with `delayMs` the sweep puts it there at its time.
   */
  release(run: ClaimedRun, how: 'handed-over' | 'broken', delayMs = 0): Promise<number | undefined> {
    return this.holds.release({ ...run, isLimited: run.traits.isLimited }, how, delayMs);
  }
}

/** The events of a commit for readers. */
function eventsOf({ nonce }: ClaimedRun, { next, events }: CommitPlan): readonly LoggedEvent[] {
  const first = next.seq - events.length + 1;
  return events.map((text, at) => ({ seq: first + at, nonce, event: Json.ofText(text) }));
}

type CommitReply = readonly [
  'OK' | 'CANCEL' | 'LATE' | 'LOST' | 'FULL',
  number?,
  number?,
  number?,
  (number | null)?,
  number?,
];

type ParkReply = readonly [verdict: ParkVerdict, redisMs?: number, used?: number];

type ParkVerdict = 'OK' | 'FULL' | keyof typeof PARKS;

const PARKS = { AGAIN: 'again', CANCEL: 'cancel', LOST: 'lost' } as const;

/** The facts that only the general script handles. */
interface GeneralCommit {
  readonly run: ClaimedRun;
  readonly progress: RunProgress;
  readonly writes: readonly TaskWrite[];
  readonly notes: RunNotes;
}

/** New entries of the journal are progress: the count of lost runs starts over. */
function withProgress(plan: CommitPlan, { entries }: RunNotes, isStored = plan.sequel === 'go'): CommitPlan {
  if (entries.length === 0 || !isStored) return plan;
  return { ...plan, next: { ...plan.next, attempt: 0 } };
}
