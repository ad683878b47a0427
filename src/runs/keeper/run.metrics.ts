import { Injectable } from '@nestjs/common';
import { Metrics, WAIT_SECONDS } from '../../platform/metrics/metrics.js';

/** Buckets in seconds; skills may run for minutes. */
const RUN_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** One run of a skill that has ended. */
export interface EndedRun {
  readonly skill: string;
  /** An ending of `RunCompletion`. */
  readonly ending: string;
  readonly attempt: number;
  readonly seconds: number;
}

/** Counts and times the runs of this process. */
@Injectable()
export class RunMetrics {
  private readonly runs;
  private readonly repeats;
  private readonly seconds;
  private running = 0;
  private readonly waits;
  private readonly wakes;

  constructor(metrics: Metrics) {
    const waits = 'Seconds between a run becoming due and a worker claiming it.';
    this.runs = metrics.counter('a2a_skill_runs_total', 'Ended runs of skills.', ['skill', 'ending']);
    const repeats = 'Repeated runs: all but the first run of a turn.';
    this.repeats = metrics.counter('a2a_skill_repeats_total', repeats, ['skill']);
    this.seconds = metrics.histogram('a2a_skill_run_duration_seconds', 'Duration of a run, from claim to end.', {
      labels: ['skill'],
      buckets: RUN_SECONDS,
    });
    metrics.readGauge('a2a_skill_runs_active', 'Active runs of this process.', () => this.running);
    this.waits = metrics.histogram('a2a_queue_wait_seconds', waits, { buckets: WAIT_SECONDS });
    const wakes = 'Seconds between the end of the wait of a parked task and the start of its run.';
    this.wakes = metrics.histogram('a2a_wake_latency_seconds', wakes, { buckets: WAIT_SECONDS });
  }

  /** @param waitedSeconds since the run was due */
  runBegun(waitedSeconds: number): void {
    this.running += 1;
    if (Number.isFinite(waitedSeconds)) this.waits.observe(Math.max(0, waitedSeconds));
  }

  /** @param lateSeconds since the wait of its task ended */
  runWoken(lateSeconds: number): void {
    this.wakes.observe(Math.max(0, lateSeconds));
  }

  runEnded({ skill, ending, attempt, seconds }: EndedRun): void {
    this.running -= 1;
    this.runs.inc({ skill, ending });
    if (attempt > 1) this.repeats.inc({ skill });
    this.seconds.observe({ skill }, seconds);
  }
}
