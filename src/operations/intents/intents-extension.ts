import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { intentsOf } from './intents.js';

/** The extension by which the card lists skills callable by name (A2A-EXT-07). */
export const INTENTS_EXTENSION = 'urn:parley:extension:intents:1';

/**
 * The card's entry of intents; undefined without a skill that has an input contract.
 * @param base URL of the service, without a trailing slash
 */
export function intentsExtension(skills: readonly SkillOptions[], base: string): AgentExtension | undefined {
  const ids = intentsOf(skills).map(({ id }) => id);
  if (ids.length === 0) return undefined;
  return {
    uri: INTENTS_EXTENSION,
    description: 'Skills that are JSON-RPC methods under their id, and that POST of `run` calls as `intent`.',
    required: false,
    params: { intents: ids, run: `${base}/run` },
  };
}
