import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { RunQueue } from '../queue/run.queue.js';
import { Metrics } from './metrics.js';

/** What waits in the queue of runs, asked at each scrape; every process tells the same, so take the maximum. */
@Injectable()
export class QueueGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly queue: RunQueue,
  ) {}

  onModuleInit(): void {
    const { queue } = this;
    const registers = [this.metrics.registry];
    new Gauge({
      name: 'a2a_queue_jobs',
      help: 'Jobs of the queue of runs, by state.',
      labelNames: ['state'],
      registers,
      async collect() {
        this.reset();
        // A scrape must tell of an outage, not fail in it.
        const counts = await queue.counts().catch(() => ({}));
        for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
      },
    });
    new Gauge({
      name: 'a2a_queue_oldest_wait_seconds',
      help: 'How long the job at the head of the queue of runs has waited; 0 when none waits.',
      registers,
      async collect() {
        this.set(await queue.oldestWaitSeconds().catch(() => NaN));
      },
    });
  }
}
