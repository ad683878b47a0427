import { Module } from '@nestjs/common';
import { StreamResume } from './stream-resume.js';
import { TaskFeeds } from './task-feeds.js';
import { TaskStreams } from './task-streams.js';

/** Owns event streams inside the process: reads stored events from Redis for subscribers. Knows no dialects, no HTTP. */
@Module({
  providers: [TaskFeeds, TaskStreams, StreamResume],
  exports: [TaskFeeds, TaskStreams, StreamResume],
})
export class FeedModule {}
