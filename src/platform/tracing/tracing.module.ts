import { type DynamicModule, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Tracing } from './tracing.js';

/** Time to flush the last spans of a drain; bounds the wait for an unavailable collector. */
const FLUSH_MS = 2_000;

/** Flushes the last spans once all their sources have ended. */
@Injectable()
class TraceFlush implements OnApplicationShutdown {
  constructor(@Inject(Tracing) private readonly tracing: Tracing) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing.end(FLUSH_MS);
  }
}

/**
 * Flushes tracing at shutdown; it is started before the application. Recording spans needs nothing from this module.
 */
@Module({})
export class TracingModule {
  static forRoot(tracing: Tracing): DynamicModule {
    return { module: TracingModule, providers: [{ provide: Tracing, useValue: tracing }, TraceFlush] };
  }
}
