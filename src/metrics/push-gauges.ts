import { Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { DeadLetterStore } from '../push/dead-letter.store.js';
import { askedGauge } from './asked-gauge.js';
import { Metrics } from './metrics.js';

/** How many webhooks were given up, asked at each scrape; every process tells the same, so take the maximum. */
@Injectable()
export class PushGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    @Optional() private readonly deadLetters?: DeadLetterStore,
  ) {}

  onModuleInit(): void {
    const { deadLetters } = this;
    askedGauge(
      this.metrics.registry,
      { name: 'a2a_push_dead_letters', help: 'Webhook deliveries that were given up and can be redriven.' },
      async () => deadLetters?.count() ?? 0,
    );
  }
}
