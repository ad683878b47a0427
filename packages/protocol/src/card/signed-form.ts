import type { AgentCard } from '../model/agent-card.js';
import type { JsonObject } from '../model/json.js';
import { isJsonObject } from '../json/json-value.js';

/** Presence rules for the members of one object of the card. */
interface CardShape {
  /** REQUIRED members stay whatever they hold; members with explicit presence stay when they are there. */
  readonly kept: readonly string[];
  readonly members: Readonly<Record<string, CardShape>>;
}

const leaf = (...kept: readonly string[]): CardShape => ({ kept, members: {} });

const REQUIREMENT: CardShape = { kept: [], members: {} };

const CARD: CardShape = {
  kept: [
    ...['name', 'description', 'supportedInterfaces', 'version', 'capabilities', 'skills'],
    ...['defaultInputModes', 'defaultOutputModes', 'documentationUrl', 'iconUrl'],
  ],
  members: {
    supportedInterfaces: leaf('url', 'protocolBinding', 'protocolVersion'),
    provider: leaf('url', 'organization'),
    capabilities: {
      kept: ['streaming', 'pushNotifications', 'extendedAgentCard'],
      members: { extensions: leaf() },
    },
    securityRequirements: REQUIREMENT,
    skills: { kept: ['id', 'name', 'description', 'tags'], members: { securityRequirements: REQUIREMENT } },
  },
};

/**
 * Signed part of a card (A2A 1.0 §8.4.1, A2A-SIGN-01, -02): all but its signatures; of members that are not required
 * and have no explicit presence, those with a default value are left out. Security schemes are built without defaults,
 * and the params of extensions are free JSON.
 */
export function signedForm({ signatures: _signatures, ...card }: AgentCard): object {
  return shaped(card, CARD);
}

/**
 * The same as the JS and Python SDKs see it, which leave out every empty text, list and object, free JSON and required
 * members included (TRAP-55).
 */
export function signedFormOfSdks(card: AgentCard): unknown {
  return withoutEmpty(signedForm(card));
}

function shaped(object: object, { kept, members }: CardShape): object {
  const present = Object.entries(object).flatMap(([name, value]: [string, unknown]): readonly [string, unknown][] => {
    if (value === undefined || (isDefault(value) && !kept.includes(name))) return [];
    return [[name, shapedMember(value, members[name], name)]];
  });
  return Object.fromEntries(present);
}

function shapedMember(value: unknown, shape: CardShape | undefined, name: string): unknown {
  if (name === 'schemes' && isJsonObject(value)) return withoutEmptyLists(value);
  if (shape === undefined) return value;
  if (Array.isArray(value)) return value.map((entry: unknown) => (isJsonObject(entry) ? shaped(entry, shape) : entry));
  return isJsonObject(value) ? shaped(value, shape) : value;
}

/** A scheme without scopes stays in a requirement, its empty list does not. Some writers have the bare list there, which is left as it is. */
function withoutEmptyLists(schemes: JsonObject): JsonObject {
  const entries = Object.entries(schemes).map(([name, scopes]) => {
    const hasNone = isJsonObject(scopes) && Array.isArray(scopes.list) && scopes.list.length === 0;
    return [name, hasNone ? {} : scopes] as const;
  });
  return Object.fromEntries(entries);
}

function isDefault(value: unknown): boolean {
  return value === '' || value === false || value === 0 || (Array.isArray(value) && value.length === 0);
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((entry) => !isEmpty(entry));
  const members = Object.entries(value).map(
    ([name, member]: [string, unknown]) => [name, withoutEmpty(member)] as const,
  );
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
