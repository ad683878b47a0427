import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { TaskModule } from '../task.module.js';
import { FeedMetrics } from './feed.metrics.js';
import { StreamResume } from './stream-resume.js';
import { TaskFeeds } from './task-feeds.js';
import { TaskStreams } from './task-streams.js';

/**
 * Owns event streams inside the process: reads stored events from Redis for subscribers. Knows no dialects, no HTTP.
 */
@Module({
  imports: [RedisModule, TaskModule, MetricsModule],
  providers: [TaskFeeds, TaskStreams, StreamResume, FeedMetrics],
  exports: [TaskFeeds, TaskStreams, StreamResume],
})
export class FeedModule {}
