import { CARD_TYPE } from '../../agents/card/ard/ard-documents.js';
import type { ArdFilter } from '../../agents/card/ard/ard-filter.js';
import { publisherIn } from '../../agents/card/ard/identifier.js';
import type { Listed } from '../entry/registry-entry.js';

/** Terms that agents are filtered and counted by: those of ARD, and from `binding` on those of this registry. */
const VALUES = {
  type: () => [CARD_TYPE],
  tags: ({ entry }: Listed) => entry.listing.tags,
  capabilities: ({ entry }: Listed) => entry.listing.capabilities,
  version: ({ entry }: Listed) => [entry.listing.version],
  publisher: ({ entry }: Listed) => [publisherIn(entry.identifier)],
  displayName: ({ entry }: Listed) => [entry.listing.displayName],
  identifier: ({ entry }: Listed) => [entry.identifier],
  binding: ({ entry }: Listed) => entry.listing.bindings,
  protocolVersion: ({ entry }: Listed) => entry.listing.protocolVersions,
  inputMode: ({ entry }: Listed) => entry.listing.inputModes,
  outputMode: ({ entry }: Listed) => entry.listing.outputModes,
  extension: ({ entry }: Listed) => entry.listing.extensions,
  health: ({ health }: Listed) => [health.state],
  signature: ({ entry }: Listed) => [entry.signature],
} as const satisfies Readonly<Record<string, (listed: Listed) => readonly string[]>>;

export type FilterTerm = keyof typeof VALUES;
export const FILTER_TERMS = Object.keys(VALUES) as readonly FilterTerm[];

/** A filter by these terms. */
export type Filter = ArdFilter<FilterTerm>;

/** The values of an agent for a term. */
export function valuesOf(listed: Listed, term: FilterTerm): readonly string[] {
  return VALUES[term](listed);
}

/** Whether an agent satisfies all constraints; values compare case-insensitively. */
export function fits(listed: Listed, filter: Filter): boolean {
  return [...filter].every(([term, wanted]) => {
    const has = valuesOf(listed, term).map((value) => value.toLowerCase());
    return wanted.some((value) => has.includes(value.toLowerCase()));
  });
}
