import { Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../metrics/metrics.js';
import { CursorStore } from './cursor.store.js';
import { PushQueue } from './push.queue.js';

/** What waits to be delivered, asked at each scrape; every dispatcher tells the same, so take the maximum. */
@Injectable()
export class DispatchGauges implements OnModuleInit {
  constructor(
    private readonly queue: PushQueue,
    private readonly cursors: CursorStore,
    @Optional() private readonly metrics?: Metrics,
  ) {}

  onModuleInit(): void {
    if (this.metrics === undefined) return;
    const { queue, cursors } = this;
    const registers = [this.metrics.registry];
    new Gauge({
      name: 'a2a_push_jobs',
      help: 'Webhooks that wait for a dispatcher, or are being served.',
      labelNames: ['state'],
      registers,
      async collect() {
        this.reset();
        const counts = await queue.counts().catch(() => ({}));
        for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
      },
    });
    new Gauge({
      name: 'a2a_push_overdue_seconds',
      help: 'How long the webhook that is most overdue has waited for a dispatcher to look at it; 0 when none is late.',
      registers,
      async collect() {
        this.set((await cursors.overdueMs().catch(() => NaN)) / 1000);
      },
    });
  }
}
