import { type DynamicModule, Global, Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { Model } from '@parley/sdk/model/model.js';
import { ModelMetrics } from './model.metrics.js';
import { ModelOptions } from './model.options.js';

/**
 * Owns the language model of skills. It knows nothing of tasks, queues or the wire.
 *
 * Global because skills of packs inject `Model` without knowing its module.
 */
@Global()
@Module({})
export class ModelModule {
  static forRoot(options: ModelOptions): DynamicModule {
    return {
      module: ModelModule,
      imports: [MetricsModule],
      providers: [
        { provide: ModelOptions, useValue: options },
        ModelMetrics,
        {
          provide: Model,
          inject: [ModelOptions, ModelMetrics],
          useFactory: ({ port, limits, priceIn, priceOut }: ModelOptions, metrics: ModelMetrics) =>
            new Model(port, { ...limits, prices: { in: priceIn, out: priceOut } }, metrics),
        },
      ],
      exports: [Model],
    };
  }
}
