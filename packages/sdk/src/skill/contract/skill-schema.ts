import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SkillOptions } from '../skill.js';
import { jsonSchemaOf } from './json-schema.js';

/** The extension under which the card shows the input and output of skills. */
export const SKILL_SCHEMA_EXTENSION = 'urn:parley:extension:skill-schema:1';

/** The contract of a skill as callers see it; a member is absent if the skill declares none. */
export interface SkillSchema extends Pick<SkillOptions, 'memory' | 'conditions' | 'effects'> {
  readonly input?: JsonObject;
  readonly output?: JsonObject;
}

export function skillSchemaOf({ input, output, memory, conditions, effects }: SkillOptions): SkillSchema {
  return {
    ...(input === undefined ? {} : { input: jsonSchemaOf(input) }),
    ...(output === undefined ? {} : { output: jsonSchemaOf(output) }),
    ...(memory === undefined ? {} : { memory }),
    ...(conditions === undefined ? {} : { conditions }),
    ...(effects === undefined ? {} : { effects }),
  };
}

/** Characters of a skill's schemas that the card carries itself: every caller and every model that calls reads it. */
const MAX_INLINE = 1_024;

/**
 * The card's entry by skill id: the JSON Schemas themselves where they are small, else the address that has them.
 * Undefined when no skill declares any.
 * @param base the address of the service, without a slash at its end
 */
export function skillSchemaExtension(skills: readonly SkillOptions[], base: string): AgentExtension | undefined {
  const declared = skills.filter(({ input, output }) => input !== undefined || output !== undefined);
  if (declared.length === 0) {
    return undefined;
  }
  return {
    uri: SKILL_SCHEMA_EXTENSION,
    description: 'JSON Schemas of what skills take as their first data part and give as data parts of artifacts.',
    required: false,
    params: { skills: Object.fromEntries(declared.map((skill) => [skill.id, entryOf(skill, base)])) },
  };
}

function entryOf(skill: SkillOptions, base: string): SkillSchema | { readonly schema: string } {
  const schemas = skillSchemaOf(skill);
  return JSON.stringify(schemas).length <= MAX_INLINE ? schemas : { schema: `${base}/skills/${skill.id}/schema` };
}
