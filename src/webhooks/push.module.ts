import { BullModule } from '@nestjs/bullmq';
import { Module, type Provider } from '@nestjs/common';
import { ProbesModule } from '../platform/health/probes.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { GuardedClient } from '../outbound/guarded-client.js';
import { queueOptions, queuePrefix } from '../platform/queue/wake-up-queue.js';
import { ProgressHealth } from '../platform/queue/progress.health.js';
import { CommandRedis } from '../platform/redis/connection/connections.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { BlockModule } from '../blocks/block.module.js';
import { TaskModule } from '../tasks/task.module.js';
import { AttemptWriter } from './delivery/attempt/attempt-writer.js';
import { BreakerWatch } from './endpoint/breaker-watch.js';
import { PushClock } from './push.clock.js';
import { ConfigStore } from './config/config.store.js';
import { CursorStore } from './delivery/cursor.store.js';
import { DeadLetterStore } from './dead-letter/dead-letter.store.js';
import { AttemptSender, PushObserver } from './delivery/attempt/attempt.sender.js';
import { EventSubscriptions } from './config/event-subscriptions.js';
import { EndpointGate } from './endpoint/endpoint-gate.js';
import { EndpointStore } from './endpoint/endpoint.store.js';
import { PushDeliveries } from './delivery/push.deliveries.js';
import { PushBodies } from './delivery/attempt/push-body.js';
import { PushConfigs } from './config/push-configs.js';
import { DispatchGauges, PushGauges } from './push.gauges.js';
import { PushMetrics } from './push.metrics.js';
import { PushOptions } from './push.options.js';
import { PUSH_QUEUE, PushQueue } from './delivery/push.queue.js';
import { SecretCipher } from './config/push-record.js';
import { PushHistory } from './delivery/attempt/push-history.js';
import { LargeDeliveries } from './endpoint/large-deliveries.js';
import { PushRelay } from './delivery/push.relay.js';
import { PushRunner } from './delivery/push.runner.js';
import { PUSH_PROCESSOR } from './delivery/push.processor.js';
import { PushWatchdog } from './delivery/push.watchdog.js';
import { PushWorkers } from './delivery/push.workers.js';
import { LocalReceivers } from './local-receivers.js';
import { Receivers } from './config/receivers.js';
import { SecretStore } from './signing/secret.store.js';
import { SigningKeys } from './signing/signing-keys.js';
import { UrlOwnership } from './config/url-ownership.js';
import { WebhookTokens } from './signing/webhook-tokens.js';

/** The module's options and the imports that the root passes in. */
export interface PushModuleOptions {
  readonly options: PushOptions;
  readonly client: GuardedClient;
  readonly cipher: SecretCipher;
  readonly observer?: PushObserver;
}

/** Injection token of the options. */
export const PushModuleOptions = Symbol('PushModuleOptions');

const GIVEN: readonly Provider[] = [
  { provide: PushOptions, inject: [PushModuleOptions], useFactory: ({ options }: PushModuleOptions) => options },
  { provide: GuardedClient, inject: [PushModuleOptions], useFactory: ({ client }: PushModuleOptions) => client },
  { provide: SecretCipher, inject: [PushModuleOptions], useFactory: ({ cipher }: PushModuleOptions) => cipher },
  {
    provide: PushObserver,
    inject: [PushModuleOptions, PushMetrics],
    useFactory: ({ observer }: PushModuleOptions, metrics: PushMetrics) => observer ?? observerOf(metrics),
  },
];

const SERVICES = [
  PushConfigs,
  EventSubscriptions,
  PushHistory,
  ConfigStore,
  DeadLetterStore,
  EndpointStore,
  CursorStore,
  SecretStore,
  SigningKeys,
  Receivers,
  UrlOwnership,
  LocalReceivers,
  WebhookTokens,
  PushClock,
  PushMetrics,
];

/**
 * Owns webhooks, for every role that registers, reads or redrives them; dispatchers deliver them. Knows nothing of HTTP
 * bindings, operations or skills.
 */
@Module({
  imports: [RedisModule, MetricsModule, TaskModule],
  providers: [...GIVEN, ...SERVICES, PushGauges],
  exports: [...GIVEN, ...SERVICES],
})
export class PushModule {}

/**
 * Delivers webhooks in the roles that dispatch: outboxes, slots, attempts. Exports no delivery: other modules cannot
 * start one.
 */
@Module({
  imports: [
    BullModule.registerQueueAsync({
      name: PUSH_QUEUE,
      imports: [RedisModule, PushModule],
      inject: [CommandRedis, PushOptions],
      useFactory: (connection: CommandRedis, { keyPrefix }: PushOptions) =>
        queueOptions(connection, queuePrefix(keyPrefix, 'push')),
    }),
    ...[PushModule, TaskModule, RedisModule, MetricsModule, ProbesModule, BlockModule],
  ],
  providers: [
    ...[PushBodies, AttemptWriter, AttemptSender, EndpointGate, LargeDeliveries, PushRunner, BreakerWatch],
    ...[PushDeliveries, PushQueue, PushRelay, PushWorkers, PushWatchdog, DispatchGauges],
    ProgressHealth.of(PushWatchdog),
    PUSH_PROCESSOR,
  ],
})
export class PushDispatchModule {}

function observerOf(metrics: PushMetrics): PushObserver {
  return (line, lagMs) => {
    metrics.attempted({ ...line, ...(lagMs === undefined ? {} : { lagMs }) });
  };
}
