import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { FieldViolation } from '@parley/protocol/model/errors.js';
import type { Message } from '@parley/protocol/model/message.js';
import { SKILL_SCHEMA_EXTENSION } from '@parley/sdk/skill/contract/skill-schema.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { faultsOfValue, SchemaTooHard } from '@parley/sdk/skill/schema/check-value.js';

/**
 * Violations of the contract that an agent's card publishes for a skill (O-05); empty without a contract. The schema is
 * foreign: one that is too expensive to check is skipped.
 * @param skillId absent: the card's only skill
 */
export function inputFaults(
  { capabilities, skills }: Pick<AgentCard, 'capabilities' | 'skills'>,
  skillId: string | undefined,
  { parts }: Pick<Message, 'parts'>,
): readonly FieldViolation[] {
  const [only, ...others] = skills;
  const id = skillId ?? (others.length === 0 ? only?.id : undefined);
  const at = parts.findIndex((part) => 'data' in part);
  const part = parts[at];
  const schema = id === undefined ? undefined : inputSchemaOf(capabilities, id);
  if (schema === undefined || part === undefined || !('data' in part)) return [];
  try {
    return faultsOfValue(schema, part.data).map(({ path, text }) => ({
      field: `message.parts[${String(at)}].data${path === '' || path.startsWith('[') ? path : `.${path}`}`,
      description: text,
    }));
  } catch (error) {
    if (error instanceof SchemaTooHard) return [];
    throw error;
  }
}

function inputSchemaOf({ extensions = [] }: AgentCard['capabilities'], skillId: string): unknown {
  const shown = extensions.find(({ uri }) => uri === SKILL_SCHEMA_EXTENSION)?.params?.skills;
  const entry = isJsonObject(shown) && Object.hasOwn(shown, skillId) ? shown[skillId] : undefined;
  return isJsonObject(entry) ? entry.input : undefined;
}
