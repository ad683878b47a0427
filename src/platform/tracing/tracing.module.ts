import { type DynamicModule, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Tracing } from './tracing.js';

/** The end of a drain is the last to be recorded; a collector that does not answer then is not waited for long. */
const FLUSH_MS = 2_000;

/** Sends the last spans when everything that makes some has ended. */
@Injectable()
class TraceFlush implements OnApplicationShutdown {
  constructor(@Inject(Tracing) private readonly tracing: Tracing) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing.end(FLUSH_MS);
  }
}

/** Flushes tracing at shutdown; it is started before the application. Recording spans needs nothing from here. */
@Module({})
export class TracingModule {
  static forRoot(tracing: Tracing): DynamicModule {
    return { module: TracingModule, providers: [{ provide: Tracing, useValue: tracing }, TraceFlush] };
  }
}
