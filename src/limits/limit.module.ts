import { Logger, Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { CommandRedis } from '../platform/redis/connection/connections.js';
import { MemoryWatch } from '../platform/redis/health/memory-watch.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { CallLimits } from './call-limits.js';
import { ConnectionSlots } from './quotas/connection-slots.js';
import { GcraStore } from './rates/gcra.store.js';
import { LimitOptions } from './limit-options.js';
import { LimitMetrics } from './limit.metrics.js';
import { LocalBuckets } from './rates/local-buckets.js';
import { QuotaStore } from './quotas/quota.store.js';
import { RateLimiter } from './rates/rate.limiter.js';
import { TrafficBudgets } from './quotas/traffic-budgets.js';

/**
 * Owns rates, quotas, the slots of open connections, and the budgets of bytes in progress. Knows callers by name only,
 * not how they authenticate.
 */
@Module({
  imports: [RedisModule, MetricsModule],
  providers: [
    LimitMetrics,
    { provide: CallLimits, inject: [CommandRedis, LimitOptions, LimitMetrics], useFactory: callLimits },
    {
      provide: ConnectionSlots,
      inject: [LimitOptions],
      useFactory: ({ quotas }: LimitOptions) => new ConnectionSlots(quotas),
    },
    {
      provide: TrafficBudgets,
      inject: [CallLimits],
      useFactory: (limits: CallLimits) => new TrafficBudgets(limits),
    },
    {
      provide: QuotaStore,
      inject: [CommandRedis, LimitOptions, MemoryWatch],
      useFactory: (redis: CommandRedis, limits: LimitOptions, memory: MemoryWatch) =>
        new QuotaStore(redis, limits, memory),
    },
  ],
  exports: [CallLimits, ConnectionSlots, QuotaStore, TrafficBudgets],
})
export class LimitModule {}

function callLimits(redis: CommandRedis, limits: LimitOptions, metrics: LimitMetrics): CallLimits {
  const logger = new Logger(CallLimits.name);
  const now = (): number => performance.now();
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
