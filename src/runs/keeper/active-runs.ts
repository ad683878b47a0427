import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Channels } from '../../platform/redis/connection/channels.js';
import { type ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { TaskKeys } from '../../tasks/task.keys.js';
import { TaskOptions } from '../../tasks/task.options.js';
import { LeaseKeeper } from './lease-keeper.js';
import { RunMetrics } from './run.metrics.js';

/** The reason of a stop request to a run. */
export type StopReason =
  /** Its caller canceled the task. */
  | 'canceled'
  /** Another run has the task, or it has ended: no further result of this run counts. */
  | 'lost'
  /** The caller of the task is blocked, and the task waits. */
  | 'held'
  /** Shutdown: the run is requeued for another worker. */
  | 'leaving'
  /** The skill exceeded its own time limit. */
  | 'timed-out'
  /** The task has reached its maximum of bytes. */
  | 'too-large';

/** A run of this process. */
export interface ActiveRun {
  readonly hold: Pick<
    ClaimedRun,
    'taskId' | 'contextId' | 'fence' | 'nonce' | 'skillId' | 'traits' | 'attempt' | 'wokenAt' | 'repeats'
  >;
  /** When it could have begun, ms since the epoch. */
  readonly dueAt: number;
  stop(reason: StopReason): void;
  /** Called when a message arrived for its task, or children of it ended. */
  heard?(): void;
}

/**
 * The runs of this process: renews their leases, and stops a canceled or lost one. A cancel arrives at once over the
 * worker's channel; if that message is lost, with the next heartbeat.
 */
@Injectable()
export class ActiveRuns implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The channel on which this process receives cancels. */
  readonly channel: string;
  /** The id of this process in the log of runs. */
  readonly worker: string;
  private readonly log = new Logger(ActiveRuns.name);
  /** By task id and fence. */
  private readonly runs = new Map<string, ActiveRun>();
  private added = 0;
  private stopped: StopReason | undefined;
  private beat: NodeJS.Timeout | undefined;

  constructor(
    private readonly channels: Channels,
    private readonly store: RunStore,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly metrics: RunMetrics,
    private readonly keeper: LeaseKeeper,
  ) {
    this.worker = keeper.worker;
    this.channel = new TaskKeys(options.keyPrefix).runsOf(this.worker);
  }

  /** Runs in progress. */
  get count(): number {
    return this.runs.size;
  }

  /** Runs begun since the start of the process. */
  get begun(): number {
    return this.added;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.channels.listenFromStart(this.channel, this.receive);
    this.beat = setInterval(() => void this.renew(), this.options.leaseMs / 4);
    this.beat.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.beat);
  }

  /** Renews a run's lease until the returned function is called with the ending of the run. */
  add(run: ActiveRun): (ending: string) => void {
    const { taskId, fence, nonce, traits, skillId: skill, attempt, wokenAt, repeats } = run.hold;
    const unkeep = this.keeper.add({ taskId, fence, nonce, skill, isLimited: traits.isLimited });
    const name = nameOf(taskId, fence);
    const began = Date.now();
    this.runs.set(name, run);
    this.added += 1;
    this.metrics.runBegun((began - run.dueAt) / 1000);
    if (repeats !== undefined && wokenAt !== undefined && attempt === 1)
      this.metrics.runWoken((began - wokenAt) / 1000);
    if (this.stopped !== undefined) run.stop(this.stopped);
    return (ending) => {
      unkeep();
      this.runs.delete(name);
      this.metrics.runEnded({ skill, ending, attempt, seconds: (Date.now() - began) / 1000 });
    };
  }

  /** Stops all runs, and each run whose claim is in progress as soon as it is claimed. */
  stopAll(reason: StopReason): void {
    this.stopped = reason;
    for (const run of this.runs.values()) run.stop(reason);
  }

  /**
   * `cancel`, `message` or `child`, then `<task id> <fence>`, as cancel.lua, resume.lua and lib/tree/parent.lua write
   * it.
   */
  private readonly receive = (message: string): void => {
    const [what, taskId = '', fence = ''] = message.split(' ');
    if (what === 'cancel') this.runs.get(nameOf(taskId, Number(fence)))?.stop('canceled');
    if (what === 'message' || what === 'child') this.tell(taskId, Number(fence));
  };

  /** Tells a run that a message arrived for its task, or that children of it ended. */
  tell(taskId: string, fence: number): void {
    this.runs.get(nameOf(taskId, fence))?.heard?.();
  }

  /** Renews the leases of all runs: one command per shard. */
  private async renew(): Promise<void> {
    this.keeper.beat();
    if (this.runs.size === 0) return;
    const runs = [...this.runs.values()];
    try {
      const beats = await this.store.heartbeats(runs.map(({ hold }) => hold));
      for (const run of runs) {
        const beat = beats.get(run.hold.taskId);
        if (beat !== undefined && beat !== 'ok') run.stop(beat === 'cancel' ? 'canceled' : 'lost');
      }
    } catch (error) {
      this.log.warn({ event: 'lease.not-renewed', runs: runs.length, reason: String(error) });
    }
  }
}

function nameOf(taskId: string, fence: number): string {
  return `${taskId} ${String(fence)}`;
}
