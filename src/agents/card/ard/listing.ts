import type { AgentCard, AgentSkill } from '@parley/protocol/model/agent-card.js';

/** The searchable and displayed part of a card: its text, cut to bounds. It is data, never instruction. */
export interface Listing {
  readonly displayName: string;
  readonly description: string;
  readonly version: string;
  readonly tags: readonly string[];
  /** Ids of its skills. */
  readonly capabilities: readonly string[];
  readonly representativeQueries: readonly string[];
  /** Names and descriptions of the skills: searched, not displayed. */
  readonly skillTexts: readonly string[];
  readonly bindings: readonly string[];
  readonly protocolVersions: readonly string[];
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
  readonly extensions: readonly string[];
}

const MAX_SKILLS = 200;
const MAX_VALUES = 50;
/** ARD asks for 2 to 5 examples; AI Catalog refuses other counts. */
export const [LEAST_QUERIES, MAX_QUERIES] = [2, 5];
/** Characters of a name or id, of a description, and of all texts of the skills. */
const [MAX_NAME, MAX_TEXT, MAX_SKILL_TEXT] = [256, 2000, 8000];
/** C0 and C1 controls, and marks that change the direction of text: useless in a listing. */
const CONTROLS = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** The listing of a card. */
export function listingOf(card: AgentCard): Listing {
  const skills = card.skills.slice(0, MAX_SKILLS);
  const examples = firstOfEach(skills.map(({ examples: own = [] }) => own));
  const every = (own: keyof Pick<AgentSkill, 'inputModes' | 'outputModes'>): readonly string[] =>
    skills.flatMap((skill) => skill[own] ?? []);
  return {
    displayName: plainText(card.name, MAX_NAME),
    description: plainText(card.description, MAX_TEXT),
    version: plainText(card.version, MAX_NAME),
    tags: values(skills.flatMap(({ tags }) => tags)),
    capabilities: [...new Set(skills.map(({ id }) => plainText(id, MAX_NAME)))],
    representativeQueries: values(examples).slice(0, MAX_QUERIES),
    skillTexts: textsOf(skills),
    bindings: values(card.supportedInterfaces.map(({ protocolBinding }) => protocolBinding)),
    protocolVersions: values(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)),
    inputModes: values([...card.defaultInputModes, ...every('inputModes')]),
    outputModes: values([...card.defaultOutputModes, ...every('outputModes')]),
    extensions: values((card.capabilities.extensions ?? []).map(({ uri }) => uri)),
  };
}

/** A text on one line, without characters that hide or reorder others, truncated. */
export function plainText(text: string, most: number): string {
  return text.replaceAll(CONTROLS, ' ').trim().slice(0, most);
}

function values(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => plainText(text, MAX_NAME)))].slice(0, MAX_VALUES);
}

function textsOf(skills: readonly AgentSkill[]): readonly string[] {
  let left = MAX_SKILL_TEXT;
  return skills.flatMap(({ name, description }) => {
    const text = plainText(`${name}: ${description}`, Math.min(left, MAX_TEXT));
    left -= text.length;
    return text === '' ? [] : [text];
  });
}

/** Interleaves the lists: every skill contributes one before any contributes two. */
function firstOfEach(lists: readonly (readonly string[])[]): readonly string[] {
  const longest = Math.min(MAX_QUERIES, Math.max(0, ...lists.map(({ length }) => length)));
  return Array.from({ length: longest }, (_unused, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}
