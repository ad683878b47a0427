import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import type { Principal } from '../../auth/principal.js';
import { missingScopes, SCOPE_DESCRIPTIONS } from '../../auth/scopes.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';

/**
 * The scopes of one caller among those required by operations and skills; `withheld` lists those to request from the
 * issuer.
 */
export function scopeExtension(principal: Principal, skills: readonly SkillOptions[]): AgentExtension {
  const asked = [...Object.keys(SCOPE_DESCRIPTIONS), ...skills.flatMap(({ scopes = [] }) => scopes)];
  const known = [...new Set(asked)];
  const withheld = missingScopes(principal, known);
  return {
    uri: SCOPE_EXTENSION,
    description: 'Scopes that this caller has, and those of this service that it lacks.',
    params: { granted: known.filter((scope) => !withheld.includes(scope)), withheld },
  };
}
