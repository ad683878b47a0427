import { Module } from '@nestjs/common';
import { StreamWriter } from './stream-writer.js';

/** Owns Server-Sent Events: writes events to HTTP responses. Knows no tasks. */
@Module({ providers: [StreamWriter], exports: [StreamWriter] })
export class SseModule {}
