import { Injectable } from '@nestjs/common';
import type { StreamEnd } from '../../operations/call.js';
import { Metrics } from '../../platform/metrics/metrics.js';

/** Counts the event streams to clients, for every binding. */
@Injectable()
export class StreamMetrics {
  private open = 0;
  private readonly begun;
  private readonly ended;

  constructor(metrics: Metrics) {
    metrics.readGauge('a2a_streams_open', 'Open event streams to clients.', () => this.open);
    this.begun = metrics.counter('a2a_streams_opened_total', 'Opened event streams.');
    this.ended = metrics.counter('a2a_streams_closed_total', 'Closed event streams.', ['how']);
  }

  /** Returns a function to call at the stream's end. */
  opened(): (how: StreamEnd) => void {
    this.open += 1;
    this.begun.inc();
    return (how) => {
      this.open -= 1;
      this.ended.inc({ how });
    };
  }
}
