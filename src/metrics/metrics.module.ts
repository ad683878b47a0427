import { type DynamicModule, Module } from '@nestjs/common';
import { RunQueueModule } from '../queue/run-queue.module.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsOptions } from './metrics.options.js';
import { MetricsServer } from './metrics.server.js';
import { addProcessMetrics } from './process-metrics.js';
import { PushGauges } from './push-gauges.js';
import { QueueGauges } from './queue-gauges.js';
import { TaskGauges } from './task-gauges.js';

/** Owns what is counted, and serves it to Prometheus. Everybody may record; nobody reads. */
@Module({})
export class MetricsModule {
  static forRoot(options: MetricsOptions): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      imports: [RunQueueModule],
      controllers: options.onMainPort ? [MetricsController] : [],
      providers: [
        { provide: MetricsOptions, useValue: options },
        { provide: Metrics, useFactory: () => metricsOf(options) },
        MetricsServer,
        QueueGauges,
        PushGauges,
        TaskGauges,
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
