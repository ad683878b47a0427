import { Module } from '@nestjs/common';
import { StreamResume } from './stream-resume.js';
import { StreamWriter } from './stream-writer.js';
import { TaskFeeds } from './task-feeds.js';
import { TaskStreams } from './task-streams.js';

/** Owns streams: brings stored events from Redis to the readers of this process. Knows no dialects and no HTTP. */
@Module({
  providers: [TaskFeeds, TaskStreams, StreamResume, StreamWriter],
  exports: [TaskFeeds, TaskStreams, StreamResume, StreamWriter],
})
export class SseModule {}
