import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RunQueue } from '../queue/run.queue.js';
import { askedGauge, askedGaugeByState } from './asked-gauge.js';
import { Metrics } from './metrics.js';

/** What waits in the queue of runs, asked at each scrape; every process tells the same, so take the maximum. */
@Injectable()
export class QueueGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly queue: RunQueue,
  ) {}

  onModuleInit(): void {
    const { registry } = this.metrics;
    askedGaugeByState(registry, { name: 'a2a_queue_jobs', help: 'Jobs of the queue of runs, by state.' }, () =>
      this.queue.counts(),
    );
    askedGauge(
      registry,
      {
        name: 'a2a_queue_oldest_wait_seconds',
        help: 'How long the job at the head of the queue of runs has waited; 0 when none waits.',
      },
      () => this.queue.oldestWaitSeconds(),
    );
  }
}
