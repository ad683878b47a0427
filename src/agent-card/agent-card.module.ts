import { type DynamicModule, Module } from '@nestjs/common';
import { AgentCardBuilder } from './agent-card.builder.js';
import { AgentCardController } from './agent-card.controller.js';
import { CardOptions } from './card.options.js';

/** Owns the agent card: what the service says of itself. Knows the skills' card entries, not what they do. */
@Module({})
export class AgentCardModule {
  static forRoot(options: CardOptions): DynamicModule {
    return {
      module: AgentCardModule,
      controllers: [AgentCardController],
      providers: [{ provide: CardOptions, useValue: options }, AgentCardBuilder],
    };
  }
}
