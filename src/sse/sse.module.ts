import { Module } from '@nestjs/common';
import { TaskFeeds } from './task-feeds.js';
import { TaskStreams } from './task-streams.js';

/** Owns streams: brings stored events from Redis to the readers of this process. Knows no dialects and no HTTP. */
@Module({ providers: [TaskFeeds, TaskStreams], exports: [TaskFeeds, TaskStreams] })
export class SseModule {}
