import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { StreamMemory } from './stream-memory.js';
import { StreamWriter } from './stream-writer.js';
import { StreamMetrics } from './stream.metrics.js';

/** Owns Server-Sent Events: writes events to HTTP responses. Knows no tasks. */
@Module({
  imports: [MetricsModule],
  providers: [StreamWriter, StreamMetrics, { provide: StreamMemory, useFactory: () => new StreamMemory() }],
  exports: [StreamWriter, StreamMetrics, StreamMemory],
})
export class SseModule {}
