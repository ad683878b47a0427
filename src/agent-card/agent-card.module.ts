import { Module } from '@nestjs/common';
import { AddressModule } from '../platform/address/address.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { AgentCardBuilder } from './agent-card.builder.js';
import { AgentCards } from './agent-cards.js';
import { CardExtensions } from './card-extensions.js';
import { CardOptions } from './card.options.js';
import { CardSigningKeys } from './card-signing-keys.js';

/** Owns the agent card: what the service says of itself. Knows the skills' card entries, not what they do. */
@Module({
  imports: [AddressModule, PolicyModule],
  providers: [
    { provide: CardSigningKeys, inject: [CardOptions], useFactory: ({ signingKeys }: CardOptions) => signingKeys },
    ...[AgentCardBuilder, AgentCards, CardExtensions],
  ],
  exports: [CardSigningKeys, AgentCards, CardExtensions],
})
export class AgentCardModule {}
