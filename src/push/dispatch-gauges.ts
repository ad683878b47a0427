import { Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { askedGauge, askedGaugeByState } from '../platform/metrics/asked-gauge.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { CursorStore } from './delivery/cursor.store.js';
import { PushQueue } from './delivery/push.queue.js';

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
    const { registry } = this.metrics;
    askedGaugeByState(
      registry,
      { name: 'a2a_push_jobs', help: 'Webhooks that wait for a dispatcher, or are being served.' },
      () => this.queue.counts(),
    );
    askedGauge(
      registry,
      {
        name: 'a2a_push_overdue_seconds',
        help: 'How long the webhook that is most overdue has waited for a dispatcher to look at it; 0 when none is late.',
      },
      async () => (await this.cursors.overdueMs()) / 1000,
    );
  }
}
