import { Injectable, Module } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';

/** A card that curators have approved. */
export interface ApprovedCard {
  readonly url: string;
  readonly text: string;
  readonly keys: JSONWebKeySet | undefined;
}

/** A feature that knows approved agents by their identifiers. */
export interface CardSource {
  /** The scopes that a caller needs to read its cards. */
  readonly scopes: readonly string[];
  /** Undefined for an agent that is not visible to the caller. */
  approved(
    caller: { readonly tenant: string; readonly client: string },
    identifier: string,
  ): Promise<ApprovedCard | undefined>;
  /** The keys that curators have pinned for a publisher. */
  keysOf(tenant: string, publisher: string): Promise<JSONWebKeySet | undefined>;
}

/** The approved cards of this service. The registry registers itself when it is constructed; without it there are none. */
@Injectable()
export class ApprovedCards {
  /** Undefined without a source. */
  source: CardSource | undefined;
}

/** Owns the link between features that know approved cards and features that read them. */
@Module({ providers: [ApprovedCards], exports: [ApprovedCards] })
export class ApprovedCardsModule {}
