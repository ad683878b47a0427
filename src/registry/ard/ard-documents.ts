import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { identifierOf } from './identifier.js';
import { LEAST_QUERIES, type Listing, listingOf } from './listing.js';

/**
 * Agentic Resource Discovery (ARD) v0.91 of 2026-08-26, and its predecessor AI Catalog 1.0: agents as entries valid in
 * both. All knowledge of these formats is in this folder, since both still change.
 */

/** Path of the ARD document; also the target of its `Link` header. */
export const ARD_PATH = '/.well-known/ard.json';
export const CATALOG_PATH = '/.well-known/ai-catalog.json';

/**
 * The `Link` header that announces the documents. @param base public base URL of the service, with the path of a proxy
 */
export function discoveryLinks(base: string): string {
  return `<${base}${ARD_PATH}>; rel="ard", <${base}${CATALOG_PATH}>; rel="ai-catalog"`;
}

/** Base path of the registry's API: `/search`, `/explore` and `/agents` are below it. */
export const REGISTRY_PATH = '/registry';

export const CARD_TYPE = 'application/a2a-agent-card+json';
const REGISTRY_TYPE = 'application/ai-registry+json';

/** The inputs of a host's documents. */
export interface Published {
  readonly card: AgentCard;
  /** Public URL of the agent, without a trailing slash. */
  readonly url: string;
  /** Whether the host has a registry of other agents. */
  readonly hasRegistry: boolean;
}

/** The ARD manifest: the agents that this host offers. */
export function ardManifest(published: Published): JsonObject {
  return { entries: entriesOf(published) };
}

/** The same agents as an AI Catalog. */
export function aiCatalog(published: Published): JsonObject {
  const { name, provider, documentationUrl, iconUrl } = published.card;
  const host = {
    displayName: provider?.organization ?? name,
    ...(documentationUrl === undefined ? {} : { documentationUrl }),
    ...(iconUrl === undefined ? {} : { logoUrl: iconUrl }),
  };
  return { specVersion: '1.0', host, entries: entriesOf(published) };
}

function entriesOf({ card, url, hasRegistry }: Published): readonly JsonObject[] {
  const agent = ardEntry(identifierOf(url, card.name), `${url}/.well-known/agent-card.json`, listingOf(card));
  const registry = {
    identifier: identifierOf(url, card.name, 'registry'),
    displayName: `${card.name}: registry`,
    type: REGISTRY_TYPE,
    url: `${url}${REGISTRY_PATH}`,
    description: 'Agents that the curators of this service have approved. Callers need a token.',
  };
  return hasRegistry ? [agent, registry] : [agent];
}

/** An agent as an entry. @param url URL of its card */
export function ardEntry(identifier: string, url: string, listing: Listing): JsonObject {
  const { displayName, description, version, tags, capabilities, representativeQueries } = listing;
  return {
    ...{ identifier, displayName, type: CARD_TYPE, url, description, version, tags, capabilities },
    ...(representativeQueries.length < LEAST_QUERIES ? {} : { representativeQueries }),
  };
}
