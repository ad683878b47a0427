import type { AgentCard } from '../../protocol/agent-card.js';
import type { JsonObject } from '../../protocol/json.js';

/**
 * Agentic Resource Discovery (ARD) v0.91 of 2026-08-26, and its predecessor AI Catalog 1.0: one agent as an entry that satisfies
 * both. Everything that knows these formats is in this folder, since both still change.
 */

/** Where the documents are, and what links to them is called. */
export const ARD_PATH = '/.well-known/ard.json';
export const CATALOG_PATH = '/.well-known/ai-catalog.json';
export const DISCOVERY_LINKS = `<${ARD_PATH}>; rel="ard", <${CATALOG_PATH}>; rel="ai-catalog"`;

const CARD_TYPE = 'application/a2a-agent-card+json';
/** ARD asks for 2 to 5 examples; AI Catalog refuses other numbers. */
const [LEAST_QUERIES, MOST_QUERIES] = [2, 5];
const MOST_TAGS = 50;

/** The manifest of ARD: what this host offers. @param url where callers reach the agent, without a slash at its end */
export function ardManifest(card: AgentCard, url: string): JsonObject {
  return { entries: [entryOf(card, url)] };
}

/** The same as an AI Catalog. */
export function aiCatalog(card: AgentCard, url: string): JsonObject {
  const { provider, documentationUrl, iconUrl } = card;
  const host = {
    displayName: provider?.organization ?? card.name,
    ...(documentationUrl === undefined ? {} : { documentationUrl }),
    ...(iconUrl === undefined ? {} : { logoUrl: iconUrl }),
  };
  return { specVersion: '1.0', host, entries: [entryOf(card, url)] };
}

/** The agent, by what its public card says. */
function entryOf({ name, description, version, skills }: AgentCard, url: string): JsonObject {
  const examples = [...new Set(firstOfEach(skills.map((skill) => skill.examples ?? [])))].slice(0, MOST_QUERIES);
  return {
    identifier: `urn:air:${publisherOf(url)}:agent:${slug(name)}`,
    displayName: name,
    type: CARD_TYPE,
    url: `${url}/.well-known/agent-card.json`,
    description,
    version,
    tags: [...new Set(skills.flatMap(({ tags }) => tags))].slice(0, MOST_TAGS),
    capabilities: skills.map(({ id }) => id),
    ...(examples.length < LEAST_QUERIES ? {} : { representativeQueries: examples }),
  };
}

/** One of each list, then the second of each: so every skill has its turn before one has two. */
function firstOfEach(lists: readonly (readonly string[])[]): readonly string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_unused, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/** The host without its port, as a URN may have it. An address of IPv6 has characters that it may not. */
function publisherOf(url: string): string {
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? 'localhost' : hostname;
}

function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? 'agent' : plain;
}
