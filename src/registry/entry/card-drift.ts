import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';

/** Differences of a card from the approved one, divided into harmless ones and those that need an approval. */
export interface Drift {
  /** Described for a curator; empty when no approval is needed. */
  readonly risky: readonly string[];
}

/** Digest of a card's content (RFC 8785), independent of the order of members. */
export function cardHash(raw: unknown): string {
  return createHash('sha256')
    .update(canonicalize(raw) ?? '')
    .digest('hex');
}

/**
 * Compares a card with the approved one. Other origins, other security, another key and removed skills change what
 * callers trust or rely on; texts, examples and additional skills do not.
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

/** The origins that calls to an agent are sent to. */
export function originsOf({ supportedInterfaces }: AgentCard): readonly string[] {
  return supportedInterfaces.map(({ url }) => (URL.canParse(url) ? new URL(url).origin : url));
}

function idsOf({ skills }: AgentCard): readonly string[] {
  return skills.map(({ id }) => id);
}

function securityOf({ securitySchemes = {}, securityRequirements = [] }: AgentCard): unknown {
  return [securitySchemes, securityRequirements];
}

/** The protected headers name algorithm and key; the signatures differ with each text. */
function signersOf({ signatures = [] }: AgentCard): unknown {
  return signatures.map((one) => one.protected);
}

function minus(all: readonly string[], known: readonly string[]): readonly string[] {
  return [...new Set(all)].filter((one) => !known.includes(one));
}

function sameJson(one: unknown, other: unknown): boolean {
  return canonicalize(one) === canonicalize(other);
}
