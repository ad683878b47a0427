import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import type { Principal } from '../../auth/principal.js';
import { missingScopes } from '../../auth/scopes.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';

/**
 * The scopes of one caller among those of the service and of its skills; `withheld` lists those to request from the
 * issuer.
 */
export function scopeExtension(
  principal: Principal,
  scopes: readonly string[],
  skills: readonly SkillOptions[],
): AgentExtension {
  const asked = [...scopes, ...skills.flatMap(({ scopes: own = [] }) => own)];
  const known = [...new Set(asked)];
  const withheld = missingScopes(principal, known);
  return {
    uri: SCOPE_EXTENSION,
    description: 'Scopes that this caller has, and those of this service that it lacks.',
    params: { granted: known.filter((scope) => !withheld.includes(scope)), withheld },
  };
}
