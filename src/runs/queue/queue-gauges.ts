import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RunQueue } from './run.queue.js';
import { askedGauge, askedGaugeBy } from '../../platform/metrics/asked-gauge.js';
import { Metrics } from '../../platform/metrics/metrics.js';

/** Gauges of waiting runs, read at each scrape; every process reports the same value, so use the maximum. */
@Injectable()
export class QueueGauges implements OnModuleInit {
  constructor(
    private readonly queue: RunQueue,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const { registry } = this.metrics;
    askedGaugeBy(
      registry,
      {
        label: 'state',
        name: 'a2a_queue_jobs',
        help: 'Runs in the fair queues (waiting), active runs, and wake-ups that no worker has taken.',
      },
      () => this.queue.counts(),
    );
    askedGauge(
      registry,
      {
        name: 'a2a_queue_oldest_wait_seconds',
        help: 'Seconds that the run at the head of the fair queues has waited; 0 if no run waits.',
      },
      () => this.queue.oldestWaitSeconds(),
    );
  }
}
