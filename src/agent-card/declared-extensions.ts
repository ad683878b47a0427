import { intentsExtension } from '../intent/intents-extension.js';
import type { AgentExtension } from '../protocol/agent-card.js';
import { STREAM_RESUME } from '../protocol/stream-resume.js';
import { skillSchemaExtension } from '../skill/contract/skill-schema.js';
import type { SkillOptions } from '../skill/skill.js';
import type { CardOptions } from './card.options.js';

/** The extensions of the card: the operator's, and ours that show what skills take and how they are called (A2A-EXT-01). */
export function declaredExtensions(
  { agent }: Pick<CardOptions, 'agent'>,
  skills: readonly SkillOptions[],
  base: string,
): readonly AgentExtension[] {
  const described = [skillSchemaExtension(skills, base), intentsExtension(skills, base)];
  const ours = [RESUMING, ...described.filter((one) => one !== undefined)];
  return [...(agent.extensions ?? []), ...ours].map(withoutDefaults);
}

/** Streams go on behind `Last-Event-ID`, which the protocol leaves open. */
const RESUMING: AgentExtension = {
  uri: STREAM_RESUME,
  description: 'Streams resume behind the event whose id is sent as Last-Event-ID',
};

function withoutDefaults({ required, ...extension }: AgentExtension): AgentExtension {
  return required === true ? { ...extension, required } : extension;
}
