import type { Part } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { acceptsPart, canProduce, mediaTypeOf } from '@parley/sdk/skill/content/media-type.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';

/** The routing result of a message that creates a task. Texts are for the caller. */
export type SkillRoute =
  | { readonly kind: 'skill'; readonly skillId: string }
  /** Unknown skill id; `field` is its path in the request. */
  | { readonly kind: 'unknown'; readonly field: string; readonly description: string }
  /** No skill can be chosen: the task is rejected with this text. */
  | { readonly kind: 'rejected'; readonly text: string }
  | Unsupported;

/** Unsupported media types: ContentTypeNotSupported, nothing is stored (A2A-SEND-12, A2A-SEND-17). */
interface Unsupported {
  readonly kind: 'unsupported';
  readonly text: string;
}

/** Input of the routing: the skills in catalog order, and the default skill. */
export interface RoutingTable {
  readonly skills: readonly SkillOptions[];
  readonly defaultSkillId?: string;
}

const TEXT = ['text/plain'];

export function inputModesOf(skill: SkillOptions): readonly string[] {
  return skill.inputModes ?? TEXT;
}

export function outputModesOf(skill: SkillOptions): readonly string[] {
  return skill.outputModes ?? TEXT;
}

/** The metadata members that name a skill: CrewAI writes the second. */
const SKILL_MEMBERS = ['skillId', 'skill_id'] as const;

/**
 * Chooses the skill for a message that begins a task: the one named in the metadata of the message or else of the
 * request; without a name the default skill or the only one, among those that accept the message's media types.
 */
export function routeMessage(request: SendMessageRequest, table: RoutingTable): SkillRoute {
  const named = namedIn(request);
  if (named === undefined) return routeByModes(request, table);
  const skill = table.skills.find(({ id }) => id === named.value);
  if (skill === undefined) return unknown(named, table);
  return misfit(request, [skill]) ?? { kind: 'skill', skillId: skill.id };
}

interface NamedSkill {
  readonly field: string;
  readonly value: unknown;
}

function namedIn({ message, metadata }: SendMessageRequest): NamedSkill | undefined {
  const named = SKILL_MEMBERS.flatMap((member) => [
    { field: `message.metadata.${member}`, value: message.metadata?.[member] },
    { field: `metadata.${member}`, value: metadata?.[member] },
  ]);
  return named.find(({ value }) => value !== undefined && value !== null);
}

function unknown({ field, value }: NamedSkill, { skills }: RoutingTable): SkillRoute {
  const description =
    typeof value === 'string'
      ? `"${shortened(value)}" is no skill of this agent: ${skills.map(({ id }) => id).join(', ')}`
      : 'must be the id of a skill';
  return { kind: 'unknown', field, description };
}

function routeByModes(request: SendMessageRequest, { skills, defaultSkillId }: RoutingTable): SkillRoute {
  const fitting = skills.filter((skill) => misfit(request, [skill]) === undefined);
  const only = fitting.length === 1 ? fitting[0] : undefined;
  const chosen = fitting.find(({ id }) => id === defaultSkillId) ?? only;
  if (chosen !== undefined) {
    return { kind: 'skill', skillId: chosen.id };
  }
  const reason =
    fitting.length > 1 ? 'The message does not say which skill it is for.' : 'No skill takes this message.';
  return misfit(request, skills) ?? rejection(reason, skills);
}

/** The reason why a skill cannot accept a further message of its task, by media types; a text for the caller. */
export function misfitOf(request: SendMessageRequest, skill: SkillOptions): string | undefined {
  return misfit(request, [skill])?.text;
}

/** The reason why none of these skills can accept the request, by media types alone. */
function misfit(request: SendMessageRequest, skills: readonly SkillOptions[]): Unsupported | undefined {
  const refused = request.message.parts.find((part) => !skills.some((skill) => acceptsPart(inputModesOf(skill), part)));
  if (refused !== undefined) {
    return unsupported(`${described(refused)} is not accepted here`, 'Accepted', skills.flatMap(inputModesOf));
  }
  const accepted = request.configuration?.acceptedOutputModes ?? [];
  if (!skills.some((skill) => canProduce(outputModesOf(skill), accepted))) {
    return unsupported('None of the accepted output modes can be produced', 'Produced', skills.flatMap(outputModesOf));
  }
  return undefined;
}

function unsupported(fault: string, label: string, modes: readonly string[]): Unsupported {
  return { kind: 'unsupported', text: `${fault}. ${label}: ${[...new Set(modes)].join(', ')}.` };
}

function described(part: Part): string {
  const mediaType = mediaTypeOf(part);
  return mediaType === undefined ? 'A file without a media type' : `Media type ${shortened(mediaType)}`;
}

function rejection(reason: string, skills: readonly SkillOptions[]): SkillRoute {
  const lines = skills.map(({ id, description }) => `- ${id}: ${description}`);
  return { kind: 'rejected', text: [`${reason} Name one of these as metadata.skillId:`, ...lines].join('\n') };
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
