import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { AgentCardBuilder } from './agent-card.builder.js';
import { CardSigner } from './card-signer.js';
import { CardSigningKeys } from './card-signing-keys.js';

/** The agent's cards as served: built, and signed if there are keys. */
@Injectable()
export class AgentCards {
  private open: Promise<AgentCard> | undefined;
  private openOfHttp: Promise<AgentCard> | undefined;

  constructor(
    private readonly builder: AgentCardBuilder,
    @Inject(CardSigningKeys) private readonly keys: CardSigningKeys,
  ) {}

  /** Public URL of the service. Throws before it listens. */
  url(): string {
    return this.builder.url();
  }

  /** The public card. It does not change while the process runs. */
  card(): Promise<AgentCard> {
    this.open ??= this.signed(this.builder.build());
    return this.open;
  }

  /** The public card with HTTP addresses only. */
  cardOfHttp(): Promise<AgentCard> {
    this.openOfHttp ??= this.signed(ofHttp(this.builder.build()));
    return this.openOfHttp;
  }

  /** The card for one caller. */
  cardFor(principal: Principal): Promise<AgentCard> {
    return this.signed(this.builder.buildFor(principal));
  }

  private signed(card: AgentCard): Promise<AgentCard> {
    return new CardSigner(this.keys, this.builder.keySetUrl()).sign(card);
  }
}

function ofHttp(card: AgentCard): AgentCard {
  return {
    ...card,
    supportedInterfaces: card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding !== 'GRPC'),
  };
}
