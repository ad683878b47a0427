import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { ListedAddress } from '../../platform/address/listed-address.js';
import { AgentCardBuilder } from './agent-card.builder.js';
import { CardSigner } from './card-signer.js';
import { CardSigningKeys } from './card-signing-keys.js';

/** Signatures of one card; the verifier of the client tries as many. */
const MAX_SIGNATURES = 64;
/** Extended cards that are kept: callers with the same rights have the same one. */
const KEPT = 64;

/**
 * The agent's cards as served: built, and signed if there are keys. Each has the signatures of itself with the interfaces
 * of every public address, its own first: a gateway that puts its address there delivers a card that is signed.
 */
@Injectable()
export class AgentCards {
  private readonly open = new Map<string, Promise<AgentCard>>();
  private readonly extended = new Map<string, Promise<AgentCard>>();

  constructor(
    private readonly builder: AgentCardBuilder,
    @Inject(CardSigningKeys) private readonly keys: CardSigningKeys,
  ) {}

  /** URL of the service at a public address; default: the first. Throws before it listens. */
  url(at?: ListedAddress): string {
    return this.builder.url(at);
  }

  /** The public card at an address. It does not change while the process runs. */
  card(at?: ListedAddress): Promise<AgentCard> {
    return this.openCard('all', at, (one) => this.builder.build(one));
  }

  /** The public card with HTTP addresses only. */
  cardOfHttp(at?: ListedAddress): Promise<AgentCard> {
    return this.openCard('http', at, (one) => ofHttp(this.builder.build(one)));
  }

  /** The card for one caller, at the address that it used. */
  cardFor(principal: Principal): Promise<AgentCard> {
    const made = (at?: ListedAddress): AgentCard => this.builder.buildFor(principal, at);
    const own = JSON.stringify(made(principal.askedAt));
    const known = this.extended.get(own);
    if (known !== undefined) return known;
    const [oldest = ''] = this.extended.keys();
    if (this.extended.size >= KEPT) this.extended.delete(oldest);
    const card = this.signed(made, principal.askedAt);
    this.extended.set(own, card);
    return card;
  }

  private openCard(
    form: string,
    at: ListedAddress | undefined,
    made: (at?: ListedAddress) => AgentCard,
  ): Promise<AgentCard> {
    const name = `${form} ${this.url(at)}`;
    const card = this.open.get(name) ?? this.signed(made, at);
    this.open.set(name, card);
    return card;
  }

  private async signed(made: (at?: ListedAddress) => AgentCard, at?: ListedAddress): Promise<AgentCard> {
    const card = made(at);
    if (this.keys.length === 0) return card;
    const variants = [at, ...this.builder.others(at)];
    const signatures = await Promise.all(
      variants.map((one) => {
        const { supportedInterfaces } = made(one);
        return new CardSigner(this.keys, this.builder.keySetUrl(one)).signatures({ ...card, supportedInterfaces });
      }),
    );
    return { ...card, signatures: signatures.flat().slice(0, MAX_SIGNATURES) };
  }
}

function ofHttp(card: AgentCard): AgentCard {
  return {
    ...card,
    supportedInterfaces: card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding !== 'GRPC'),
  };
}
