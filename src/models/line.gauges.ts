import { Inject, Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { askedGaugeBy } from '../platform/metrics/asked-gauge.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { ModelBook } from './choice/model-book.js';
import { ModelLines } from './line/model-lines.js';

/** Gauges of the accounts at providers, read from Redis at each scrape: take the maximum over processes. */
@Injectable()
export class LineGauges implements OnModuleInit {
  constructor(
    private readonly lines: ModelLines,
    private readonly metrics: Metrics,
    @Optional() @Inject(ModelBook) private readonly book?: ModelBook,
  ) {}

  onModuleInit(): void {
    if (this.book === undefined) return;
    this.gauge('a2a_model_line', 'Calls of models that wait for their provider, parked.', (account) =>
      this.lines.waiting(account),
    );
    this.gauge('a2a_model_inflight', 'Calls under way to a provider of models.', (account) =>
      this.lines.underWay(account),
    );
    const closed = '1 while a provider of models is left alone: it has no capacity, or its calls keep failing.';
    this.gauge('a2a_model_closed', closed, async (account) => Number(await this.lines.isClosed(account)));
  }

  private gauge(name: string, help: string, read: (account: string) => Promise<number>): void {
    askedGaugeBy(this.metrics.registry, { name, help, label: 'provider' }, async () => {
      const rows = (this.book?.accounts ?? []).map(async (account) => [account, await read(account)] as const);
      return Object.fromEntries(await Promise.all(rows));
    });
  }
}
