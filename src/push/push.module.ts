import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { GuardedClient } from '../security/egress/guarded-client.js';
import { queueOptions, queuePrefix } from '../platform/queue/job-queue.js';
import { CommandRedis } from '../platform/redis/connections.js';
import { AttemptWriter } from './attempt-writer.js';
import { BreakerWatch } from './breaker-watch.js';
import { Clock } from './clock.js';
import { ConfigStore } from './config.store.js';
import { CursorStore } from './cursor.store.js';
import { DeadLetterStore } from './dead-letter.store.js';
import { Delivery, PushObserver } from './delivery.js';
import { DispatchGauges } from './dispatch-gauges.js';
import { EndpointGate } from './endpoint-gate.js';
import { EndpointStore } from './endpoint.store.js';
import { PushBodies } from './push-body.js';
import { PushConfigs } from './push-configs.js';
import { PushGauges } from './push-gauges.js';
import { PushOptions } from './push.options.js';
import { PUSH_QUEUE, PushQueue } from './push.queue.js';
import { Sealer } from './push-record.js';
import { PushRelay } from './push.relay.js';
import { PushRunner } from './push.runner.js';
import { pushProcessors } from './push.processor.js';
import { PushWatchdog } from './push.watchdog.js';
import { PushWorkers } from './push.workers.js';
import { SecretStore } from './secret.store.js';
import { SigningKeys } from './signing-keys.js';
import { UrlOwnership } from './url-ownership.js';
import { WebhookTokens } from './webhook-tokens.js';

/** What the module takes from outside of its folder. */
export interface PushModuleOptions {
  readonly options: PushOptions;
  readonly client: GuardedClient;
  readonly sealer: Sealer;
  readonly observer?: PushObserver;
}

/**
 * Owns webhooks: their registration for callers, and their delivery in dispatchers. Knows nothing of HTTP bindings,
 * operations or skills.
 */
@Module({})
export class PushModule {
  /** For every role: webhooks can be registered, looked at and redriven. */
  static forRoot(given: PushModuleOptions): DynamicModule {
    const values: Provider[] = [
      { provide: PushOptions, useValue: given.options },
      { provide: GuardedClient, useValue: given.client },
      { provide: Sealer, useValue: given.sealer },
      {
        provide: PushObserver,
        inject: [{ token: Metrics, optional: true }],
        useFactory: (metrics?: Metrics) => given.observer ?? observerOf(metrics),
      },
    ];
    const services = [
      PushConfigs,
      ConfigStore,
      DeadLetterStore,
      EndpointStore,
      CursorStore,
      SecretStore,
      SigningKeys,
      UrlOwnership,
      WebhookTokens,
      Clock,
    ];
    return {
      module: PushModule,
      global: true,
      providers: [...values, ...services, PushGauges],
      exports: [...values, ...services],
    };
  }
}

/** Delivers webhooks: relay, queue and workers, for the roles that dispatch. */
@Module({})
export class PushDispatchModule {
  static forRoot({ concurrency }: Pick<PushOptions, 'concurrency'>): DynamicModule {
    return {
      module: PushDispatchModule,
      imports: [
        BullModule.registerQueueAsync({
          name: PUSH_QUEUE,
          inject: [CommandRedis, PushOptions],
          useFactory: (connection: CommandRedis, { keyPrefix }: PushOptions) =>
            queueOptions(connection, queuePrefix(keyPrefix, 'push')),
        }),
      ],
      providers: [
        ...[PushBodies, AttemptWriter, Delivery, EndpointGate, PushRunner, BreakerWatch],
        ...[PushQueue, PushRelay, PushWorkers, PushWatchdog, DispatchGauges],
        ...pushProcessors(concurrency),
      ],
      exports: [PushQueue, PushRelay, PushWatchdog],
    };
  }
}

function observerOf(metrics: Metrics | undefined): PushObserver {
  return (line, lagMs) => metrics?.pushAttempted({ ...line, ...(lagMs === undefined ? {} : { lagMs }) });
}
