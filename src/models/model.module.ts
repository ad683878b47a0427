import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { Model } from '@parley/sdk/model/model.js';
import { ModelMetrics } from './model.metrics.js';
import { RulesModel } from '@parley/sdk/model/rules/rules.model.js';
import { ModelBook } from './choice/model-book.js';
import { RoleModel } from './choice/role.model.js';
import { ModelLines } from './line/model-lines.js';
import { ModelOptions } from './model.options.js';

/**
 * Owns the language models of skills. It knows nothing of tasks, queues or the wire.
 *
 * Global because skills of packs inject `Model` without knowing its module.
 */
@Global()
@Module({})
export class ModelModule implements OnModuleInit, OnApplicationShutdown {
  constructor(@Optional() @Inject(ModelBook) private readonly book?: ModelBook) {}

  static forRoot(options: ModelOptions): DynamicModule {
    const { source } = options;
    return {
      module: ModelModule,
      imports: [MetricsModule],
      providers: [
        { provide: ModelOptions, useValue: options },
        ...(source === undefined ? [] : [{ provide: ModelBook, useValue: new ModelBook(source) }]),
        ModelMetrics,
        {
          provide: Model,
          inject: [ModelOptions, ModelMetrics, ModuleRef, { token: ModelBook, optional: true }],
          useFactory: modelOf,
        },
      ],
      exports: [Model, ...(source === undefined ? [] : [ModelBook])],
    };
  }

  onModuleInit(): void {
    this.book?.watch();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.book?.close();
  }
}

function modelOf({ port, limits }: ModelOptions, metrics: ModelMetrics, modules: ModuleRef, book?: ModelBook): Model {
  const ofBook = (found: ModelBook): RoleModel =>
    new RoleModel({
      book: found,
      lines: () => modules.get(ModelLines, { strict: false }),
      failedOver: (role, why) => metrics.failedOver(role, why),
    });
  return new Model(port ?? (book === undefined ? new RulesModel() : ofBook(book)), limits, metrics);
}
