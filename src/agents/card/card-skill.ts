import type { CardSecurity } from '../../auth/card-security.js';
import type { AgentSkill, SecurityRequirement, SecurityScheme } from '@parley/protocol/model/agent-card.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { inputModesOf, outputModesOf } from '../../skill/skill.router.js';

/** The card's entry of a skill; lists required scopes with every scheme that has scopes (A2A-AUTHZ-03). */
export function cardSkill(skill: SkillOptions, security: CardSecurity): AgentSkill {
  const { id, name, description, tags, examples = [], scopes = [] } = skill;
  return {
    ...{ id, name, description, tags },
    ...(examples.length === 0 ? {} : { examples }),
    inputModes: inputModesOf(skill),
    outputModes: outputModesOf(skill),
    ...requirementsOf(scopes, security),
  };
}

function requirementsOf(
  scopes: readonly string[],
  { securitySchemes = {}, securityRequirements = [] }: CardSecurity,
): Pick<AgentSkill, 'securityRequirements'> {
  if (scopes.length === 0 || securityRequirements.length === 0) return {};
  const withScopes = ({ schemes }: SecurityRequirement): SecurityRequirement => ({
    schemes: Object.fromEntries(
      Object.keys(schemes).map((name) => [name, { list: hasScopes(securitySchemes[name]) ? scopes : [] }]),
    ),
  });
  return { securityRequirements: securityRequirements.map(withScopes) };
}

function hasScopes(scheme: SecurityScheme | undefined): boolean {
  return scheme !== undefined && ('oauth2SecurityScheme' in scheme || 'openIdConnectSecurityScheme' in scheme);
}
