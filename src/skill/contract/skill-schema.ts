import type { AgentExtension } from '../../protocol/agent-card.js';
import type { JsonObject } from '../../protocol/json.js';
import type { SkillOptions } from '../skill.js';
import { jsonSchemaOf } from './json-schema.js';

/** The extension under which the card shows what skills take and give. */
export const SKILL_SCHEMA_EXTENSION = 'urn:parley:extension:skill-schema:1';

/** Input and output schema of a skill; a member is absent if the skill declares none. */
export interface SkillSchema {
  readonly input?: JsonObject;
  readonly output?: JsonObject;
}

export function skillSchemaOf({ input, output }: SkillOptions): SkillSchema {
  return {
    ...(input === undefined ? {} : { input: jsonSchemaOf(input) }),
    ...(output === undefined ? {} : { output: jsonSchemaOf(output) }),
  };
}

/** The card's entry with the JSON Schemas by skill id; undefined when no skill declares any. */
export function skillSchemaExtension(skills: readonly SkillOptions[]): AgentExtension | undefined {
  const declared = skills.filter(({ input, output }) => input !== undefined || output !== undefined);
  if (declared.length === 0) {
    return undefined;
  }
  return {
    uri: SKILL_SCHEMA_EXTENSION,
    description: 'JSON Schemas of what skills take as their first data part and give as data parts of artifacts.',
    required: false,
    params: { skills: Object.fromEntries(declared.map((skill) => [skill.id, skillSchemaOf(skill)])) },
  };
}
