import { type DynamicModule, Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { MetricsModule } from './metrics.module.js';
import { MetricsOptions } from './metrics.options.js';
import { MetricsServer } from './metrics.server.js';
import { ProcessMetrics } from './process-metrics.js';

/** Serves `/metrics`, with the metrics of the process itself. Knows no feature. */
@Module({})
export class ScrapeModule {
  static forRoot(options: MetricsOptions): DynamicModule {
    return {
      module: ScrapeModule,
      imports: [MetricsModule],
      controllers: options.onMainPort ? [MetricsController] : [],
      providers: [{ provide: MetricsOptions, useValue: options }, ProcessMetrics, MetricsServer],
    };
  }
}
