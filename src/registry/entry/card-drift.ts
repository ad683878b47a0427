import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';

/** How a card differs from the approved one: what only changes texts, and what must be approved again. */
export interface Drift {
  /** In words for a curator; empty where nothing of it needs an approval. */
  readonly risky: readonly string[];
}

/** Digest of a card by its content (RFC 8785): another order of members is no change. */
export function cardHash(raw: unknown): string {
  return createHash('sha256')
    .update(canonicalize(raw) ?? '')
    .digest('hex');
}

/**
 * Compares a card with the approved one. Other origins, other security, another key, and skills that are gone change what
 * callers trust or rely on; texts, examples and more skills do not.
 */
export function driftOf(
  approved: { readonly card: AgentCard; readonly signature: string },
  found: { readonly card: AgentCard; readonly signature: string },
): Drift {
  const [before, after] = [approved.card, found.card];
  const newOrigins = minus(originsOf(after), originsOf(before));
  const goneSkills = minus(idsOf(before), idsOf(after));
  return {
    risky: [
      ...newOrigins.map((origin) => `interface at another origin: ${origin}`),
      ...(sameJson(securityOf(before), securityOf(after)) ? [] : ['other security schemes or requirements']),
      ...(approved.signature === 'verified' && found.signature !== 'verified'
        ? ['no signature of a pinned key any more']
        : []),
      ...(sameJson(signersOf(before), signersOf(after)) ? [] : ['other signing keys']),
      ...goneSkills.map((id) => `skill removed: ${id}`),
      ...(before.provider?.organization === after.provider?.organization ? [] : ['another provider']),
    ],
  };
}

/** The origins that calls to an agent go to. */
export function originsOf({ supportedInterfaces }: AgentCard): readonly string[] {
  return supportedInterfaces.map(({ url }) => (URL.canParse(url) ? new URL(url).origin : url));
}

function idsOf({ skills }: AgentCard): readonly string[] {
  return skills.map(({ id }) => id);
}

function securityOf({ securitySchemes = {}, securityRequirements = [] }: AgentCard): unknown {
  return [securitySchemes, securityRequirements];
}

/** The protected headers name algorithm and key; the signatures themselves differ with each text. */
function signersOf({ signatures = [] }: AgentCard): unknown {
  return signatures.map((one) => one.protected);
}

function minus(all: readonly string[], known: readonly string[]): readonly string[] {
  return [...new Set(all)].filter((one) => !known.includes(one));
}

function sameJson(one: unknown, other: unknown): boolean {
  return canonicalize(one) === canonicalize(other);
}
