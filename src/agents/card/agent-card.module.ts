import { Module } from '@nestjs/common';
import { AddressModule } from '../../platform/address/address.module.js';
import { PolicyModule } from '../../policy/policy.module.js';
import { AgentCardBuilder } from './agent-card.builder.js';
import { AgentCards } from './agent-cards.js';
import { CardExtensions } from './card-extensions.js';
import { CardOptions } from './card.options.js';
import { CardSigningKeys } from './card-signing-keys.js';

/** Owns the agent card, the service's description. Knows the skills' card entries, not their work. */
@Module({
  imports: [AddressModule, PolicyModule],
  providers: [
    { provide: CardSigningKeys, inject: [CardOptions], useFactory: ({ signingKeys }: CardOptions) => signingKeys },
    ...[AgentCardBuilder, AgentCards, CardExtensions],
  ],
  exports: [CardSigningKeys, AgentCards, CardExtensions],
})
export class AgentCardModule {}
