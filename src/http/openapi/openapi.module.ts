import { type DynamicModule, Module } from '@nestjs/common';
import { AgentCardModule } from '../../agents/card/agent-card.module.js';
import type { Feature } from '../binding/feature.js';
import { GuardsModule } from '../guards/guards.module.js';
import { OpenApiController } from './openapi.controller.js';
import { DescribedFeatures } from './openapi-document.js';

/** Owns the OpenAPI document, generated from the registered routes. */
@Module({})
export class OpenApiModule {
  /**
   * @param operations operations with the documented routes and params
   * @param features features with parts of their own
   */
  static forRoot(operations: DynamicModule, features: readonly Pick<Feature, 'openApi'>[]): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [operations, AgentCardModule, GuardsModule],
      controllers: [OpenApiController],
      providers: [{ provide: DescribedFeatures, useValue: features }],
    };
  }
}
