import { type DynamicModule, Module } from '@nestjs/common';
import { AgentCardModule } from '../../agent-card/agent-card.module.js';
import type { Endpoint } from '../binding/endpoint.js';
import { GuardsModule } from '../guards/guards.module.js';
import { OpenApiController } from './openapi.controller.js';
import { DescribedEndpoints } from './openapi-document.js';

/** Owns the OpenAPI document, made of what is registered. */
@Module({})
export class OpenApiModule {
  /**
   * @param operations whose routes and params it shows
   * @param endpoints whose own parts it shows
   */
  static forRoot(operations: DynamicModule, endpoints: readonly Pick<Endpoint, 'openApi'>[]): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [operations, AgentCardModule, GuardsModule],
      controllers: [OpenApiController],
      providers: [{ provide: DescribedEndpoints, useValue: endpoints }],
    };
  }
}
