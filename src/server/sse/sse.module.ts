import { Module } from '@nestjs/common';
import { StreamMemory } from './stream-memory.js';
import { StreamWriter } from './stream-writer.js';

/** Owns Server-Sent Events: writes events to HTTP responses. Knows no tasks. */
@Module({
  providers: [StreamWriter, { provide: StreamMemory, useFactory: () => new StreamMemory() }],
  exports: [StreamWriter, StreamMemory],
})
export class SseModule {}
