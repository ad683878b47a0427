import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets in seconds, from a fast read to a call at its time limit. */
export const CALL_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
/** Buckets in seconds; beyond the last one it is a backlog. */
export const WAIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/**
 * The Prometheus registry of this process. Each feature makes its own counters and timers here (`*.metrics.ts`). Every
 * label has few values, all of them ours: no ids, no names that callers choose. Recording never throws and never waits.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  private readonly calls = this.counter('a2a_requests_total', 'Finished calls and streams.', [
    'operation',
    'dialect',
    'binding',
    'outcome',
  ]);
  private readonly callSeconds = this.histogram(
    'a2a_request_duration_seconds',
    'Duration of a call, or of an open stream.',
    { labels: ['operation', 'binding'], buckets: CALL_SECONDS },
  );
  private readonly runs = this.counter('a2a_skill_runs_total', 'Ended runs of skills.', ['skill', 'ending']);
  private readonly repeats = this.counter(
    'a2a_skill_repeats_total',
    'Repeated runs: all but the first run of a turn.',
    ['skill'],
  );
  private readonly runSeconds = this.histogram(
    'a2a_skill_run_duration_seconds',
    'Duration of a run, from claim to end.',
    {
      labels: ['skill'],
      buckets: RUN_SECONDS,
    },
  );
  private readonly running = this.gauge('a2a_skill_runs_active', 'Active runs of this process.');
  private readonly waits = this.histogram(
    'a2a_queue_wait_seconds',
    'Seconds between a run becoming due and a worker claiming it.',
    {
      labels: [],
      buckets: WAIT_SECONDS,
    },
  );
  private readonly wakes = this.histogram(
    'a2a_wake_latency_seconds',
    'Seconds between the end of the wait of a parked task and the start of its run.',
    {
      labels: [],
      buckets: WAIT_SECONDS,
    },
  );
  private readonly swept = this.counter(
    'a2a_tasks_ended_by_sweep_total',
    'Tasks that the sweep ended because no run could.',
    ['why'],
  );
  private readonly leases = this.counter('a2a_leases_expired_total', 'Runs whose worker was lost.', []);
  private readonly purged = this.counter('a2a_tasks_purged_total', 'Finished tasks purged after their retention.', []);
  private readonly requeued = this.counter('a2a_runs_requeued_total', 'Runs requeued by the sweep.', []);
  private readonly streams = this.gauge('a2a_streams_open', 'Open event streams to clients.');
  private readonly streamsBegun = this.counter('a2a_streams_opened_total', 'Opened event streams.', []);
  private readonly resumes = this.counter('a2a_streams_resumed_total', 'Streams requested with Last-Event-ID.', [
    'result',
  ]);
  private readonly streamsEnded = this.counter('a2a_streams_closed_total', 'Closed event streams.', ['how']);
  private readonly lag = this.histogram(
    'a2a_event_lag_seconds',
    "Age of a live status event when a stream sends it, by the writer's clock.",
    { labels: [], buckets: WAIT_SECONDS },
  );
  private readonly pushes = this.counter(
    'a2a_push_attempts_total',
    'Webhook delivery attempts by outcome and status class.',
    ['outcome', 'status'],
  );
  private readonly pushSeconds = this.histogram(
    'a2a_push_attempt_duration_seconds',
    'Duration of a webhook delivery attempt.',
    {
      labels: [],
      buckets: CALL_SECONDS,
    },
  );
  private readonly pushLag = this.histogram(
    'a2a_push_lag_seconds',
    "Seconds from the commit of a status event to its delivery, by the writer's clock.",
    { labels: [], buckets: LAG_SECONDS },
  );
  private readonly endpointChanges = this.counter(
    'a2a_push_endpoint_changes_total',
    'Circuit breaker changes of webhook endpoints: opened, closed or disabled.',
    ['change'],
  );
  private readonly decisions = this.counter('a2a_audit_decisions_total', 'Decisions in the audit log.', [
    'result',
    'code',
  ]);
  private readonly limited = this.counter('a2a_limit_hits_total', 'Calls rejected by a rate limit or quota.', [
    'limit',
  ]);
  private readonly redisUp = this.gauge('a2a_redis_up', '1 while Redis answers this process, else 0.');
  private readonly redisSeconds = this.histogram('a2a_redis_ping_seconds', 'Round trip to Redis, measured every 5 s.', {
    labels: [],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5],
  });

  call({ operation, dialect, binding, outcome, seconds }: HandledCall): void {
    const name = operation ?? 'unknown';
    this.calls.inc({ operation: name, dialect, binding, outcome });
    this.callSeconds.observe({ operation: name, binding }, seconds);
  }

  /** @param waitedSeconds since the run was due */
  runBegun(waitedSeconds: number): void {
    this.running.inc();
    this.waits.observe(Math.max(0, waitedSeconds));
  }

  /** @param lateSeconds since the wait of its task ended */
  runWoken(lateSeconds: number): void {
    this.wakes.observe(Math.max(0, lateSeconds));
  }

  runEnded({ skill, ending, attempt, seconds }: EndedRun): void {
    this.running.dec();
    this.runs.inc({ skill, ending });
    if (attempt > 1) this.repeats.inc({ skill });
    this.runSeconds.observe({ skill }, seconds);
  }

  endedBySweep(why: string): void {
    this.swept.inc({ why });
  }

  leaseExpired(): void {
    this.leases.inc();
  }

  taskPurged(): void {
    this.purged.inc();
  }

  requeuedBySweep(runs: number): void {
    this.requeued.inc(runs);
  }

  /** Returns a function to call at the stream's end. */
  streamOpened(): (how: StreamEnd) => void {
    this.streams.inc();
    this.streamsBegun.inc();
    return (how) => {
      this.streams.dec();
      this.streamsEnded.inc({ how });
    };
  }

  /** `snapshot`: the event id was unknown or trimmed, so the stream began with the current task. */
  streamResumed(result: 'resumed' | 'snapshot'): void {
    this.resumes.inc({ result });
  }

  eventPassedOn(lagSeconds: number): void {
    this.lag.observe(Math.max(0, lagSeconds));
  }

  pushAttempted({ outcome, status, ms, lagMs }: PushedEvent): void {
    if (lagMs !== undefined && outcome === 'delivered') this.pushLag.observe(Math.max(0, lagMs) / 1000);
    this.pushes.inc({ outcome, status: status === undefined ? 'none' : `${Math.floor(status / 100)}xx` });
    this.pushSeconds.observe(ms / 1000);
  }

  endpointChanged(change: string): void {
    this.endpointChanges.inc({ change });
  }

  decided(result: string, code = 'none'): void {
    this.decisions.inc({ result, code });
  }

  limitHit(limit: string): void {
    this.limited.inc({ limit });
  }

  redisAnswered(seconds: number): void {
    this.redisUp.set(1);
    this.redisSeconds.observe(seconds);
  }

  redisSilent(): void {
    this.redisUp.set(0);
  }

  private counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }

  histogram<L extends string = never>(
    name: string,
    help: string,
    { labels = [], buckets }: { readonly labels?: readonly L[]; readonly buckets: number[] },
  ): Histogram<L> {
    return new Histogram({ name, help, labelNames: labels, buckets, registers: [this.registry] });
  }
}
