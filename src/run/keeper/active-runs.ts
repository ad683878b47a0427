import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Compensated } from '../../agent/tree/compensation.js';
import { Channels } from '../../platform/redis/connection/channels.js';
import { type ClaimedRun, RunStore } from '../../task/commit/run.store.js';
import { TaskKeys } from '../../task/task.keys.js';
import { TaskOptions } from '../../task/task.options.js';
import { LeaseKeeper } from './lease-keeper.js';
import { RunMetrics } from './run.metrics.js';

/** The reason of a stop request to a run. */
export type StopReason =
  /** Its caller canceled the task. */
  | 'canceled'
  /** Another run has the task, or it is finished: nothing that this run does counts any more. */
  | 'lost'
  /** Shutdown: the run is requeued for another worker. */
  | 'leaving'
  /** The skill took longer than it allows itself. */
  | 'timed-out'
  /** The task holds as many bytes as it may. */
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
  /** A message has come for its task, or children of it have ended. */
  heard?(): void;
}

/**
 * The runs of this process: keeps their leases, and stops the one that is canceled or lost. A cancel comes at once by
 * the worker's channel; where that message is lost, the next heartbeat brings it.
 */
@Injectable()
export class ActiveRuns implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The channel on which this process receives cancels. */
  readonly channel: string;
  /** The id of this process, as the log of runs has it. */
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

  /** Finished work of a task was undone, or could not be. */
  undone(skill: string, { undone, failed }: Pick<Compensated, 'undone' | 'failed'>): void {
    this.metrics.workUndone(skill, { undone: undone.length, failed: failed.length });
  }

  /** Runs under way. */
  get count(): number {
    return this.runs.size;
  }

  /** Runs that have begun since the start of the process. */
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

  /** Keeps a run's lease until the returned function is called, with a word for how the run ended. */
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

  /** `cancel`, `message` or `child`, then `<task id> <fence>`, as cancel.lua, resume.lua and lib/tree/parent.lua write it. */
  private readonly receive = (message: string): void => {
    const [what, taskId = '', fence = ''] = message.split(' ');
    const run = this.runs.get(nameOf(taskId, Number(fence)));
    if (what === 'cancel') run?.stop('canceled');
    if (what === 'message' || what === 'child') run?.heard?.();
  };

  /** Renews the leases of all runs: one command for each shard, however many there are. */
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
