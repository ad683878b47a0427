import { Injectable } from '@nestjs/common';
import { CALL_SECONDS, Metrics } from '../platform/metrics/metrics.js';

/** Buckets in seconds; a webhook may be late by days. */
const LAG_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600, 3_600, 43_200, 259_200];

/** One attempt to deliver a webhook; the part of `push.attempted` that has bounded values. */
export interface PushedEvent {
  readonly outcome: string;
  readonly status?: number;
  readonly ms: number;
  /** Time since the event was committed; absent where the event does not carry its commit time. */
  readonly lagMs?: number;
}

/** Counts and times webhook attempts, and changes of circuit breakers. */
@Injectable()
export class PushMetrics {
  private readonly attempts;
  private readonly seconds;
  private readonly lag;
  private readonly changes;

  constructor(metrics: Metrics) {
    const attempts = 'Webhook delivery attempts by outcome and status class.';
    this.attempts = metrics.counter('a2a_push_attempts_total', attempts, ['outcome', 'status']);
    const seconds = 'Duration of a webhook delivery attempt.';
    this.seconds = metrics.histogram('a2a_push_attempt_duration_seconds', seconds, { buckets: CALL_SECONDS });
    const lag = "Seconds from the commit of a status event to its delivery, by the writer's clock.";
    this.lag = metrics.histogram('a2a_push_lag_seconds', lag, { buckets: LAG_SECONDS });
    const changes = 'Circuit breaker changes of webhook endpoints: opened, closed or disabled.';
    this.changes = metrics.counter('a2a_push_endpoint_changes_total', changes, ['change']);
  }

  attempted({ outcome, status, ms, lagMs }: PushedEvent): void {
    if (lagMs !== undefined && outcome === 'delivered') this.lag.observe(Math.max(0, lagMs) / 1000);
    this.attempts.inc({ outcome, status: status === undefined ? 'none' : `${Math.floor(status / 100)}xx` });
    this.seconds.observe(ms / 1000);
  }

  endpointChanged(change: string): void {
    this.changes.inc({ change });
  }
}
