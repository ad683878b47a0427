import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { GuardedClient } from '../security/egress/guarded-client.js';
import { queueOptions, queuePrefix } from '../platform/queue/job-queue.js';
import { CommandRedis } from '../platform/redis/connections.js';
import { AttemptWriter } from './delivery/attempt-writer.js';
import { BreakerWatch } from './endpoint/breaker-watch.js';
import { Clock } from './clock.js';
import { ConfigStore } from './config/config.store.js';
import { CursorStore } from './delivery/cursor.store.js';
import { DeadLetterStore } from './dead-letter/dead-letter.store.js';
import { AttemptSender, PushObserver } from './delivery/attempt.sender.js';
import { EndpointGate } from './endpoint/endpoint-gate.js';
import { EndpointStore } from './endpoint/endpoint.store.js';
import { PushBodies } from './delivery/push-body.js';
import { PushConfigs } from './config/push-configs.js';
import { DispatchGauges, PushGauges } from './push.gauges.js';
import { PushOptions } from './push.options.js';
import { PUSH_QUEUE, PushQueue } from './delivery/push.queue.js';
import { Sealer } from './config/push-record.js';
import { PushHistory } from './delivery/push-history.js';
import { PushRelay } from './delivery/push.relay.js';
import { PushRunner } from './delivery/push.runner.js';
import { pushProcessors } from './delivery/push.processor.js';
import { PushWatchdog } from './delivery/push.watchdog.js';
import { PushWorkers } from './delivery/push.workers.js';
import { SecretStore } from './signing/secret.store.js';
import { SigningKeys } from './signing/signing-keys.js';
import { UrlOwnership } from './config/url-ownership.js';
import { WebhookTokens } from './signing/webhook-tokens.js';

/** The module's dependencies. */
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
  /** For every role: registering, reading and redriving webhooks. */
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
      PushHistory,
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
        ...[PushBodies, AttemptWriter, AttemptSender, EndpointGate, PushRunner, BreakerWatch],
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
