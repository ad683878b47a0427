import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';
import { CommandRedis } from '../../platform/redis/connections.js';
import { MemoryWatch } from '../../platform/redis/memory-watch.js';
import { CallLimits } from './call-limits.js';
import { ConnectionSlots } from './connection-slots.js';
import { GcraStore } from './gcra.store.js';
import { checkLimitOptions, type LimitOptions } from './limit-options.js';
import { LocalBuckets } from './local-buckets.js';
import { QuotaStore } from './quota.store.js';
import { RateLimiter } from './rate.limiter.js';

/** Owns rates, quotas and the slots of connections that are held open. Knows callers by their names only, not how they prove them. */
@Module({})
export class LimitModule {
  /** @throws Error when a limit cannot work */
  static forRoot(limits: LimitOptions): DynamicModule {
    checkLimitOptions(limits);
    return {
      module: LimitModule,
      global: true,
      providers: [
        {
          provide: CallLimits,
          inject: [CommandRedis, { token: Metrics, optional: true }],
          useFactory: (redis: CommandRedis, metrics?: Metrics) => callLimits(redis, limits, metrics),
        },
        { provide: ConnectionSlots, useFactory: () => new ConnectionSlots(limits.quotas) },
        {
          provide: QuotaStore,
          inject: [CommandRedis, MemoryWatch],
          useFactory: (redis: CommandRedis, memory: MemoryWatch) => new QuotaStore(redis, limits, memory),
        },
      ],
      exports: [CallLimits, ConnectionSlots, QuotaStore],
    };
  }
}

function callLimits(redis: CommandRedis, limits: LimitOptions, metrics?: Metrics): CallLimits {
  const logger = new Logger(CallLimits.name);
  const now = Date.now;
  const onOutage = (error: unknown): void => {
    logger.warn({
      event: 'limit.alone',
      reason: 'Redis does not answer: this replica enforces its share of the limits',
      error,
    });
  };
  const limiter = new RateLimiter(new GcraStore(redis), new LocalBuckets(now), {
    replicas: limits.replicas,
    onOutage,
    now,
  });
  return new CallLimits(limiter, limits, metrics);
}
