import { Module } from '@nestjs/common';
import { ProbesModule } from '../../health/probes.module.js';
import { MetricsModule } from '../../metrics/metrics.module.js';
import { RedisHealth } from './redis.health.js';
import { RedisModule } from '../redis.module.js';
import { RedisWatch } from './redis-watch.js';

/** Checks Redis for the readiness probe and the metrics, in serving processes; commands do not need it. */
@Module({ imports: [ProbesModule, MetricsModule, RedisModule], providers: [RedisWatch, RedisHealth] })
export class RedisHealthModule {}
