import { Injectable, type OnModuleInit } from '@nestjs/common';
import { askedGauge, askedGaugeBy } from '../platform/metrics/asked-gauge.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { DeadLetterStore } from './dead-letter/dead-letter.store.js';
import { CursorStore } from './delivery/cursor.store.js';
import { PushQueue } from './delivery/push.queue.js';
import { BreakerWatch } from './endpoint/breaker-watch.js';

/** The gauge of processes that register webhooks. Read from Redis at each scrape: take the maximum over processes. */
@Injectable()
export class PushGauges implements OnModuleInit {
  constructor(
    private readonly deadLetters: DeadLetterStore,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    askedGauge(this.metrics.registry, { name: 'a2a_push_dead_letters', help: 'Dead letters of webhooks.' }, () =>
      this.deadLetters.count(),
    );
  }
}

/** The gauges of dispatchers. All but the open endpoints are read from Redis: take the maximum over processes. */
@Injectable()
export class DispatchGauges implements OnModuleInit {
  constructor(
    private readonly queue: PushQueue,
    private readonly cursors: CursorStore,
    private readonly breakers: BreakerWatch,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const { registry } = this.metrics;
    askedGaugeBy(
      registry,
      {
        label: 'state',
        name: 'a2a_push_jobs',
        help: 'Webhooks that are due (waiting), that are delivered now or are due within 25 s (active), and wake-ups.',
      },
      async () => ({ ...(await this.cursors.counts()), wakeups: await this.queue.wakeUps() }),
    );
    askedGauge(
      registry,
      {
        name: 'a2a_push_overdue_seconds',
        help: 'Age of the most overdue webhook that no dispatcher has claimed; 0 if none.',
      },
      async () => (await this.cursors.overdueMs()) / 1000,
    );
    askedGauge(
      registry,
      {
        name: 'a2a_push_endpoints_open',
        help: 'Webhook endpoints with an open circuit breaker, as far as this dispatcher knows.',
      },
      () => Promise.resolve(this.breakers.openNow()),
    );
  }
}
