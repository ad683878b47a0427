import { type DynamicModule, Module } from '@nestjs/common';
import { AgentCardModule } from '../../agent-card/agent-card.module.js';
import { GuardsModule } from '../guards/guards.module.js';
import { OpenApiController } from './openapi.controller.js';

/** Owns the OpenAPI document, made of what is registered. */
@Module({})
export class OpenApiModule {
  /** @param operations whose routes and params it shows */
  static forRoot(operations: DynamicModule): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [operations, AgentCardModule, GuardsModule],
      controllers: [OpenApiController],
    };
  }
}
