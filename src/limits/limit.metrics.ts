import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';

/** Counts calls that a rate limit or a quota rejects. */
@Injectable()
export class LimitMetrics {
  private readonly hits;

  constructor(metrics: Metrics) {
    this.hits = metrics.counter('a2a_limit_hits_total', 'Calls rejected by a rate limit or a quota.', ['limit']);
  }

  limitHit(limit: string): void {
    this.hits.inc({ limit });
  }
}
