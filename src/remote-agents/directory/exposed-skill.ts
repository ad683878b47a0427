import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { FileFaults } from '../../platform/config/settings/file-faults.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { SKILL_SCHEMA_EXTENSION } from '@parley/sdk/skill/contract/skill-schema.js';
import { SKILL_ID } from '../../skill/skill-catalog.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';

/** A skill of another agent, exposed as a skill of this service and to MCP hosts as a tool (MCP-BRIDGE-1). */
export interface ExposedSkill {
  /** Its id in this service. */
  readonly id: string;
  /** Its id in the other agent's card. */
  readonly remoteId: string;
  /** The definition that `parley ops agents pin --write` stored. No call is made while the card differs from it. */
  readonly definition: JsonObject | undefined;
  /** Scopes that callers need. */
  readonly scopes: readonly string[];
}

const MEMBERS = ['as', 'definition', 'scopes'];
const MAX_ID = 64;

/** The member `expose` of an agent in AGENTS_FILE: its skills by id. Nothing is exposed by default. */
export function readExposedSkills(agent: string, value: unknown, faults: FileFaults): readonly ExposedSkill[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) return faults.refuse('expose must be an object: the id of a skill and its terms each', []);
  return Object.entries(value).flatMap(([remoteId, terms]) => exposedOf({ agent, remoteId }, terms, faults) ?? []);
}

function exposedOf(
  { agent, remoteId }: { readonly agent: string; readonly remoteId: string },
  terms: unknown,
  faults: FileFaults,
): ExposedSkill | undefined {
  const own = faults.of(`expose: ${remoteId}`);
  if (!isJsonObject(terms)) {
    own.add('must be an object');
    return undefined;
  }
  own.onlyMembers(terms, MEMBERS);
  const { as = bridgedId(agent, remoteId), definition, scopes = [] } = terms;
  if (typeof as !== 'string' || !SKILL_ID.test(as)) {
    own.add('as must be the id of a skill');
    return undefined;
  }
  if (!Array.isArray(scopes) || !scopes.every((one) => typeof one === 'string')) {
    own.add('scopes must be a list of scopes');
    return undefined;
  }
  if (definition !== undefined && !isJsonObject(definition)) {
    own.add('definition must be what "parley ops agents pin" prints');
    return undefined;
  }
  return { id: as, remoteId, scopes, definition };
}

/** `agent__skill`; with a hash of the id if that is too long or has characters that ids may not have. */
export function bridgedId(agent: string, skill: string): string {
  const plain = `${agent}__${skill}`;
  if (SKILL_ID.test(plain)) return plain;
  const readable = plain.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '_');
  return `${readable.slice(0, MAX_ID - 9)}_${hash('sha256', plain, 'hex').slice(0, 8)}`;
}

/** The definition of a skill in an agent's card, with the schemas inside the card; undefined without the skill. */
export function definitionIn(card: AgentCard, remoteId: string): JsonObject | undefined {
  const skill = card.skills.find(({ id }) => id === remoteId);
  if (skill === undefined) return undefined;
  const { name, description, tags, examples } = skill;
  const inputModes = ownOr(skill.inputModes, card.defaultInputModes);
  const outputModes = ownOr(skill.outputModes, card.defaultOutputModes);
  const { input, output } = schemasIn(card, remoteId);
  return defined({ name, description, tags, examples, inputModes, outputModes, input, output });
}

/** ProtoJSON writers send an empty list for a skill without modes of its own. */
function ownOr(own: readonly string[] = [], usual: readonly string[]): readonly string[] {
  return own.length === 0 ? usual : own;
}

/** Whether a card describes a skill as pinned in the file. */
export function isAsPinned(card: AgentCard, { remoteId, definition }: ExposedSkill): boolean {
  const now = definitionIn(card, remoteId);
  return now !== undefined && canonicalize(now) === canonicalize(definition);
}

/** Schemas inside the card's extension; larger ones are behind a URL and not part of the card. */
function schemasIn({ capabilities: { extensions = [] } }: AgentCard, skill: string): JsonObject {
  const params = extensions.find(({ uri }) => uri === SKILL_SCHEMA_EXTENSION)?.params;
  const entry = isJsonObject(params?.skills) ? params.skills[skill] : undefined;
  return isJsonObject(entry) ? entry : {};
}

/** The members that are set. */
export function defined<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}
