import { type DynamicModule, Module } from '@nestjs/common';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsOptions } from './metrics.options.js';
import { MetricsServer } from './metrics.server.js';
import { addProcessMetrics } from './process-metrics.js';

/** Owns the Prometheus registry and its endpoint. Each feature registers its own gauges. */
@Module({})
export class MetricsModule {
  static forRoot(options: MetricsOptions): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      controllers: options.onMainPort ? [MetricsController] : [],
      providers: [
        { provide: MetricsOptions, useValue: options },
        { provide: Metrics, useFactory: () => metricsOf(options) },
        MetricsServer,
      ],
      exports: [Metrics],
    };
  }
}

function metricsOf(options: MetricsOptions): Metrics {
  const metrics = new Metrics();
  addProcessMetrics(metrics.registry, options);
  return metrics;
}
