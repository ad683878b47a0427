import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { withoutLineFields } from '../../platform/logging/line-fields.js';
import { FairQueue, type WaitingRun } from '../../tasks/store/fair-queue.js';
import { LiveEvents } from '../../tasks/commit/live-events.js';
import { type ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { LocalRuns, type RunSlot } from '../local-runs.js';
import { RunSlots, type Slot } from './run-slots.js';
import { SkillRunner } from './skill-runner.js';
import { type SuspectPlace, SuspectRun } from './suspect-run.js';

/** Poll interval of a process with a free slot: the maximum cost of a lost wake-up. */
const EVERY_MS = 500;
/** Maximum runs kept as next besides the claimed ones: this many may overtake a newly arrived tenant. */
const MAX_AHEAD = 16;
/** A run kept as next for longer was probably claimed by another process. */
const AHEAD_MS = 100;
/** Consecutive polls that found runs but claimed none, since other processes were faster. */
const MAX_MISSES = 3;

/**
 * Fills the slots of this process with runs of its own callers and from the fair queues. Triggers are a wake-up, a
 * skill that has ended and a timer; every run starts in the same order: slot, claim, run.
 */
@Injectable()
export class RunFeeder extends LocalRuns implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(RunFeeder.name);
  private readonly suspects: SuspectRun;
  private serving: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Whether the queues may have runs that were not polled yet. */
  private mayWait = false;
  /** Next runs of the latest poll that it did not claim: a freed slot takes one without a poll. */
  private ahead: WaitingRun[] = [];
  private aheadSince = 0;
  /** Tasks claimed since the latest poll was sent: its reply may still contain them. */
  private readonly claimed = new Set<string>();

  private onIdle: () => void = () => undefined;

  constructor(
    private readonly slots: RunSlots,
    private readonly fairQueue: FairQueue,
    private readonly store: RunStore,
    private readonly runner: SkillRunner,
    private readonly live: LiveEvents,
  ) {
    super();
    this.suspects = new SuspectRun(slots, store, this.serveQuietly);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(this.serveQuietly, EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  override takeSlot(skillId: string): RunSlot | undefined {
    const slot = this.slots.take(skillId);
    if (slot === undefined) {
      // The run enters the queue: this process polls it when a slot is free again.
      this.mayWait = true;
      return undefined;
    }
    let isTaken = false;
    return {
      channel: this.runner.channel,
      run: (run) => {
        isTaken = true;
        this.begin(run, slot, Date.now());
      },
      release: () => {
        if (isTaken) return;
        slot.release();
        // Other runs may wait in the queue, and a slot is free for one of them.
        this.serveQuietly();
      },
    };
  }

  override get hasRoom(): boolean {
    return this.slots.free > 0;
  }

  /** Slots for runs of any skill: none while a skill with a limit of its own is full. */
  get free(): number {
    return this.slots.openSkills === 'all' ? this.slots.free : 0;
  }

  override whenFull(giveUp: () => void): () => void {
    return this.slots.whenFull(giveUp);
  }

  /**
   * Starts waiting runs until none is left or no slot is free. Resolves with true if this process is full and runs may
   * be left for others. Throws while Redis is unreachable.
   */
  serve(): Promise<boolean> {
    this.mayWait = true;
    this.serving ??= withoutLineFields(() => this.fill()).finally(() => {
      this.serving = undefined;
    });
    return this.serving;
  }

  /** Waiting runs that could begin here, 0 or 1; read by the watchdog. */
  async waiting(): Promise<number> {
    return this.suspects.choose(await this.fairQueue.heads(1, this.slots.openSkills)).length;
  }

  private async fill(): Promise<boolean> {
    let [hasBegun, leavesSuspects] = [false, false];
    for (let misses = 0; this.mayWait && misses < MAX_MISSES;) {
      const { free } = this.slots;
      if (free === 0) break;
      // A call of serve() from here on causes another poll.
      this.mayWait = false;
      const most = Math.min(MAX_AHEAD, this.slots.count);
      this.claimed.clear();
      const next = await this.fairQueue.heads(free + most, this.slots.openSkills);
      const waiting = this.suspects.choose(next);
      // A suspect begins alone: the others are polled after it.
      if (waiting[0]?.isSuspect === true) this.mayWait = next.length > 1;
      leavesSuspects = waiting.length < next.length;
      this.mayWait ||= waiting.length > free;
      const heads = waiting.filter(({ taskId }) => !this.claimed.has(taskId));
      [this.ahead, this.aheadSince] = [heads.slice(free), Date.now()];
      const begun = await Promise.all(heads.slice(0, free).map((head) => this.claim(head)));
      const isAny = begun.includes(true);
      hasBegun ||= isAny;
      misses = isAny ? 0 : misses + 1;
    }
    if (!this.mayWait && !leavesSuspects && this.hasRoom) this.onIdle();
    return hasBegun && this.mayWait && this.slots.free === 0;
  }

  private async claim(head: WaitingRun): Promise<boolean> {
    const { taskId, skillId } = head;
    const slot = this.slots.take(skillId);
    if (slot === undefined) {
      this.mayWait = true;
      return false;
    }
    this.claimed.add(taskId);
    const suspect = head.isSuspect ? this.suspects.take() : undefined;
    try {
      const outcome = await this.store.claim(taskId, 'any', this.runner.channel, suspect?.isAlone ?? false);
      if (outcome.kind === 'claimed') {
        this.begin(outcome.run, slot, waitingSince(outcome.run), suspect);
        return true;
      }
      this.log.debug({ event: 'run.refused', taskId, reason: outcome.kind });
      slot.release();
      suspect?.leave();
      if (outcome.kind !== 'stale') await this.fairQueue.drop(head);
      return false;
    } catch (error) {
      slot.release();
      suspect?.leave();
      throw error;
    }
  }

  /** Calls `onIdle` whenever the queues are empty and slots are free. */
  whenIdle(onIdle: () => void): void {
    this.onIdle = onIdle;
  }

  private begin(run: ClaimedRun, slot: Slot, dueAt: number, suspect?: SuspectPlace): void {
    const onEnd = (): void => {
      slot.pass();
      this.takeNext();
    };
    void this.runner.run(run, dueAt, { onEnd, onStopped: slot.linger, suspect, local: this }).finally(() => {
      this.live.leave(run.taskId);
      slot.release();
      suspect?.leave();
      if (this.mayWait || this.slots.isLimited(run.skillId)) this.serveQuietly();
    });
  }

  /** Claims the next run during the last commit of the previous one: both share one round trip. */
  private takeNext(): void {
    if (!this.hasRoom) return;
    if (Date.now() - this.aheadSince > AHEAD_MS) this.ahead = [];
    // Not the first one: other processes know the same runs.
    const [head] = this.ahead.splice(Math.floor(Math.random() * this.ahead.length), 1);
    if (head !== undefined) void withoutLineFields(() => this.claimNext(head));
    else if (this.mayWait) this.serveQuietly();
    // It was full and is idle again: the next run is woken by a hint, not by a job.
    else if (this.slots.free === 1) this.onIdle();
  }

  private async claimNext(head: WaitingRun): Promise<void> {
    const isBegun = await this.claim(head).catch(() => false);
    if (isBegun) return;
    // Other processes serve the same queues, so the other next runs may be gone as well.
    this.ahead = [];
    this.serveQuietly();
  }

  /** The same in the background; other parts report an outage of Redis, and the next poll follows. */
  readonly serveQuietly = (): void => {
    if (!this.hasRoom) return;
    this.serve().catch((error: unknown) => {
      this.log.debug({ event: 'run.poll-failed', reason: String(error) });
    });
  };
}

/**
 * The time when a run became due: from its task's status, or the end of its wait; the repeat of a lost run is due now.
 */
function waitingSince({ attempt, log, seq, wokenAt }: ClaimedRun): number {
  return attempt > 1 ? Date.now() : Math.max(wokenAt ?? 0, Number(log.at(seq)?.ms ?? Date.now()));
}
