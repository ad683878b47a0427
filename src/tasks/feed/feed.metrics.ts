import { Injectable } from '@nestjs/common';
import { Metrics, WAIT_SECONDS } from '../../platform/metrics/metrics.js';

/** Counts resumed streams, and times the delivery of events to readers. */
@Injectable()
export class FeedMetrics {
  private readonly resumes;
  private readonly lag;

  constructor(metrics: Metrics) {
    const help = "Age of a live status event when a stream sends it, by the writer's clock.";
    this.resumes = metrics.counter('a2a_streams_resumed_total', 'Streams requested with Last-Event-ID.', ['result']);
    this.lag = metrics.histogram('a2a_event_lag_seconds', help, { buckets: WAIT_SECONDS });
  }

  /** `snapshot`: the event id was unknown or trimmed, so the stream began with the current task. */
  streamResumed(result: 'resumed' | 'snapshot'): void {
    this.resumes.inc({ result });
  }

  eventPassedOn(lagSeconds: number): void {
    if (Number.isFinite(lagSeconds)) this.lag.observe(Math.max(0, lagSeconds));
  }
}
