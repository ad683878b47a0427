/** One card for all versions: 1.0, 0.3 and 0.1 share four members, which are merged here. */
import type { AgentCard } from '../model/agent-card.js';
import type { JsonObject } from '../model/json.js';
import { cardToV03 } from './card-v0-3.js';
import { schemeToV01, schemeToV03, securityToV03 } from './security.js';

/**
 * The 1.0 card with the members of 0.3 and 0.1 added. A 1.0 reader that drops unknown members finds the pure 1.0 card,
 * and no member of 1.0 that the card leaves out, so its signatures still hold (A2A-SIGN-02, -06). Undefined members are left out of its JSON.
 */
export function hybridCard(card: AgentCard): JsonObject {
  const older = cardToV03(card);
  return {
    ...older,
    ...card,
    capabilities: { stateTransitionHistory: older.capabilities.stateTransitionHistory, ...card.capabilities },
    securitySchemes: mergeSchemes(card),
    skills: card.skills.map((skill) => ({ ...skill, security: securityToV03(skill.securityRequirements) })),
    authentication: authenticationForV01(card),
  };
}

/** Each scheme in both spellings: `type` for 0.3, the wrapper for 1.0. */
function mergeSchemes({ securitySchemes }: AgentCard): JsonObject | undefined {
  if (securitySchemes === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(securitySchemes).map(([name, scheme]) => [name, { ...schemeToV03(scheme), ...scheme }]),
  );
}

/** 0.1's `authentication`: the names of the schemes, without saying which of them are alternatives. */
function authenticationForV01({ securitySchemes }: AgentCard): JsonObject | undefined {
  const schemes = new Set(Object.values(securitySchemes ?? {}).map(schemeToV01));
  return schemes.size > 0 ? { schemes: [...schemes] } : undefined;
}
