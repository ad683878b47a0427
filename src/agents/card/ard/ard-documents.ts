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

export const CARD_TYPE = 'application/a2a-agent-card+json';

/** The inputs of a host's documents. */
export interface Published {
  readonly card: AgentCard;
  /** Public URL of the agent, without a trailing slash. */
  readonly url: string;
  /** The other resources of the host. */
  readonly listed: readonly ListedResource[];
}

/** A resource of the service besides the agent, in the documents for crawlers. */
export interface ListedResource {
  /** Names it beside the agent, as `registry`. */
  readonly kind: string;
  readonly type: string;
  /** Below the URL of the service. */
  readonly path: string;
  readonly description: string;
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

function entriesOf({ card, url, listed }: Published): readonly JsonObject[] {
  const agent = ardEntry(identifierOf(url, card.name), `${url}/.well-known/agent-card.json`, listingOf(card));
  const others = listed.map(({ kind, type, path, description }) => ({
    identifier: identifierOf(url, card.name, kind),
    displayName: `${card.name}: ${kind}`,
    ...{ type, url: `${url}${path}`, description },
  }));
  return [agent, ...others];
}

/** An agent as an entry. @param url URL of its card */
export function ardEntry(identifier: string, url: string, listing: Listing): JsonObject {
  const { displayName, description, version, tags, capabilities, representativeQueries } = listing;
  return {
    ...{ identifier, displayName, type: CARD_TYPE, url, description, version, tags, capabilities },
    ...(representativeQueries.length < LEAST_QUERIES ? {} : { representativeQueries }),
  };
}
