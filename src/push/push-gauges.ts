import { Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { DeadLetterStore } from './dead-letter/dead-letter.store.js';
import { askedGauge } from '../platform/metrics/asked-gauge.js';
import { Metrics } from '../platform/metrics/metrics.js';

/** How many webhooks were given up, asked at each scrape; every process tells the same, so take the maximum. */
@Injectable()
export class PushGauges implements OnModuleInit {
  constructor(
    private readonly deadLetters: DeadLetterStore,
    /** Absent in a command, which nobody scrapes. */
    @Optional() private readonly metrics?: Metrics,
  ) {}

  onModuleInit(): void {
    const { deadLetters, metrics } = this;
    if (metrics === undefined) return;
    askedGauge(
      metrics.registry,
      { name: 'a2a_push_dead_letters', help: 'Webhook deliveries that were given up and can be redriven.' },
      () => deadLetters.count(),
    );
  }
}
