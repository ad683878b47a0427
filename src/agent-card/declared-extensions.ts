import { intentsExtension } from '../intent/intents-extension.js';
import type { AgentExtension } from '../protocol/agent-card.js';
import { skillSchemaExtension } from '../skill/contract/skill-schema.js';
import type { SkillOptions } from '../skill/skill.js';
import type { CardOptions } from './card.options.js';

/** The extensions of the card: the operator's, and ours that show what skills take and how they are called (A2A-EXT-01). */
export function declaredExtensions(
  { agent }: Pick<CardOptions, 'agent'>,
  skills: readonly SkillOptions[],
  base: string,
): readonly AgentExtension[] {
  const ours = [skillSchemaExtension(skills, base), intentsExtension(skills, base)].filter((one) => one !== undefined);
  return [...(agent.extensions ?? []), ...ours].map(withoutDefaults);
}

function withoutDefaults({ required, ...extension }: AgentExtension): AgentExtension {
  return required === true ? { ...extension, required } : extension;
}
