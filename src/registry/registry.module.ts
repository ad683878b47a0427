import { type DynamicModule, Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { ApprovedCardsModule } from '../remote-agents/directory/approved-cards.js';
import { GuardedHttp } from '../remote-agents/directory/guarded-http.js';
import type { AllowEntry } from '../outbound/allow-list.js';
import { GuardedClient } from '../outbound/guarded-client.js';
import { CardChanges } from './card-changes.js';
import { CardReader } from './card-reader.js';
import { RegistryFeed } from './feed/registry-feed.js';
import { Prober } from './health/prober.js';
import { PublisherKeys } from './publisher-keys.js';
import { Registrations } from './registrations.js';
import { RegistryCards } from './registry-cards.js';
import { RegistryMetrics } from './registry.metrics.js';
import { RegistryOptions } from './registry.options.js';
import { Catalogs } from './search/catalogs.js';
import { RegistryStore } from './store/registry.store.js';

export interface RegistryModuleOptions {
  readonly options: RegistryOptions;
  /** Internal addresses that cards may have. */
  readonly allow: readonly AllowEntry[];
}

/** Owns the curated registry of other agents: registrations, approvals and health. Knows no HTTP server. */
@Module({})
export class RegistryModule {
  /** @param isProber whether this process may become the prober of cards */
  static forRoot({ options, allow }: RegistryModuleOptions, isProber: boolean): DynamicModule {
    const egress = new GuardedClient({ ports: [443, 8443], allowHttp: false, allow });
    const services = [RegistryStore, Catalogs, CardChanges, Registrations, PublisherKeys, RegistryFeed];
    return {
      module: RegistryModule,
      imports: [RedisModule, MetricsModule, ApprovedCardsModule],
      providers: [
        { provide: RegistryOptions, useValue: options },
        // Nest closes its connections at shutdown.
        { provide: GuardedClient, useValue: egress },
        {
          provide: CardReader,
          inject: [RegistryStore],
          useFactory: (store: RegistryStore) => new CardReader(new GuardedHttp(egress), store),
        },
        ...services,
        RegistryCards,
        ...(isProber ? [RegistryMetrics, Prober] : []),
      ],
      exports: services,
    };
  }
}
