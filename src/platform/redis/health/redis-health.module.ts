import { Module } from '@nestjs/common';
import { ProbesModule } from '../../health/probes.module.js';
import { MetricsModule } from '../../metrics/metrics.module.js';
import { RedisHealth } from './redis.health.js';
import { RedisModule } from '../redis.module.js';
import { RedisWatch } from './redis-watch.js';

/** Watches Redis for the readiness probe and the metrics, in processes that serve; commands have no use for it. */
@Module({ imports: [ProbesModule, MetricsModule, RedisModule], providers: [RedisWatch, RedisHealth] })
export class RedisHealthModule {}
