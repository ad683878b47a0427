import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { FairQueue, type WaitingRun } from '../task/fair-queue.js';
import { type ClaimedRun, RunStore } from '../task/run.store.js';
import { LocalRuns, type RunSlot } from './local-runs.js';
import { RunSlots } from './run-slots.js';
import { SkillRunner } from './skill-runner.js';

/** Poll interval of a process with a free slot: the maximum cost of a lost wake-up. */
const EVERY_MS = 500;
/** Looks in a row that found runs and got none, since others were faster. */
const MOST_MISSES = 3;

/**
 * Fills the slots of this process, with runs of its own callers and with runs from the fair queues. Triggers are a wake-up,
 * a released slot and a timer; every run starts in the same order: slot, claim, run.
 */
@Injectable()
export class RunFeeder extends LocalRuns implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(RunFeeder.name);
  private serving: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Whether the queues may have runs that were not polled yet. */
  private mayWait = false;

  constructor(
    private readonly slots: RunSlots,
    private readonly fairQueue: FairQueue,
    private readonly store: RunStore,
    private readonly runner: SkillRunner,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(this.serveQuietly, EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  override takeSlot(skillId: string): RunSlot | undefined {
    const leave = this.slots.take(skillId);
    if (leave === undefined) {
      // The run enters the queue: this process polls it when a slot is free again.
      this.mayWait = true;
      return undefined;
    }
    let isTaken = false;
    return {
      channel: this.runner.channel,
      run: (run) => {
        isTaken = true;
        this.begin(run, leave, Date.now());
      },
      release: () => {
        if (isTaken) return;
        leave();
        // Other runs may wait in the queue, and a slot is free for one of them.
        this.serveQuietly();
      },
    };
  }

  override serveHere(): boolean {
    if (this.slots.free === 0) return false;
    this.serveQuietly();
    return true;
  }

  /**
   * Starts waiting runs until none is left or no slot is free. Resolves with true if this process is full and runs may be
   * left for others. Throws while Redis is unreachable.
   */
  serve(): Promise<boolean> {
    this.mayWait = true;
    this.serving ??= this.fill().finally(() => {
      this.serving = undefined;
    });
    return this.serving;
  }

  /** Runs that wait and could begin here, 0 or 1: the watchdog asks. */
  async waiting(): Promise<number> {
    return (await this.fairQueue.heads(1, this.slots.openSkills)).length;
  }

  private async fill(): Promise<boolean> {
    let hasBegun = false;
    for (let misses = 0; this.mayWait && misses < MOST_MISSES;) {
      const { free } = this.slots;
      if (free === 0) break;
      // A call of serve() from here on is another reason to look once more.
      this.mayWait = false;
      const heads = await this.fairQueue.heads(free, this.slots.openSkills);
      const begun = await Promise.all(heads.map((head) => this.claim(head)));
      const isAny = begun.includes(true);
      hasBegun ||= isAny;
      misses = isAny ? 0 : misses + 1;
      this.mayWait ||= heads.length >= free;
    }
    return hasBegun && this.mayWait && this.slots.free === 0;
  }

  private async claim(head: WaitingRun): Promise<boolean> {
    const { taskId, skillId } = head;
    const leave = this.slots.take(skillId);
    if (leave === undefined) return false;
    try {
      const outcome = await this.store.claim(taskId, 'any', this.runner.channel);
      if (outcome.kind === 'claimed') {
        this.begin(outcome.run, leave, waitingSince(outcome.run));
        return true;
      }
      this.log.debug({ event: 'run.refused', taskId, reason: outcome.kind });
      leave();
      if (outcome.kind !== 'stale') await this.fairQueue.drop(head);
      return false;
    } catch (error) {
      leave();
      throw error;
    }
  }

  private begin(run: ClaimedRun, leave: () => void, dueAt: number): void {
    void this.runner.run(run, dueAt).finally(() => {
      leave();
      if (this.mayWait || this.slots.isLimited(run.skillId)) this.serveQuietly();
    });
  }

  /** The same in the background; other parts report an outage of Redis, and the next poll follows. */
  readonly serveQuietly = (): void => {
    if (this.slots.free === 0) return;
    this.serve().catch((error: unknown) => {
      this.log.debug({ event: 'run.poll-failed', reason: String(error) });
    });
  };
}

/** Time since which a run is due: from its task's status, or the end of its wait; the repetition of a lost run is due now. */
function waitingSince({ attempt, log, seq, wokenAt }: ClaimedRun): number {
  return attempt > 1 ? Date.now() : Math.max(wokenAt ?? 0, Number(log.at(seq)?.ms ?? Date.now()));
}
