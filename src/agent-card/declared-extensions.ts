import type { AgentExtension } from '../protocol/agent-card.js';
import { skillSchemaExtension } from '../skill/contract/skill-schema.js';
import type { SkillOptions } from '../skill/skill.js';
import type { CardOptions } from './card.options.js';

/** The extensions of the card: the operator's, and ours that shows what skills take (A2A-EXT-01). */
export function declaredExtensions(
  { agent }: Pick<CardOptions, 'agent'>,
  skills: readonly SkillOptions[],
  base: string,
): readonly AgentExtension[] {
  const schemas = skillSchemaExtension(skills, base);
  return [...(agent.extensions ?? []), ...(schemas === undefined ? [] : [schemas])].map(withoutDefaults);
}

function withoutDefaults({ required, ...extension }: AgentExtension): AgentExtension {
  return required === true ? { ...extension, required } : extension;
}
