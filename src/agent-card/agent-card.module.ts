import { type DynamicModule, Module } from '@nestjs/common';
import { AgentCardBuilder } from './agent-card.builder.js';
import { AgentCards } from './agent-cards.js';
import { CardExtensions } from './card-extensions.js';
import { CardOptions } from './card.options.js';
import { CardSigningKeys } from './card-signing-keys.js';

/** Owns the agent card: what the service says of itself. Knows the skills' card entries, not what they do. */
@Module({})
export class AgentCardModule {
  static forRoot(options: CardOptions): DynamicModule {
    return {
      module: AgentCardModule,
      global: true,
      providers: [
        { provide: CardOptions, useValue: options },
        { provide: CardSigningKeys, useValue: options.signingKeys },
        AgentCardBuilder,
        AgentCards,
        CardExtensions,
      ],
      exports: [CardOptions, CardSigningKeys, AgentCards, CardExtensions],
    };
  }
}
