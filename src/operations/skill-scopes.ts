import { Injectable } from '@nestjs/common';
import { CallerGate } from '../auth/caller.gate.js';
import { missingScope } from '../auth/scopes.js';
import { Policies } from '../policy/policies.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import type { Call } from './call.js';

/**
 * Requires the scopes of a skill (A2A-AUTHZ-03) and the permission of the policy (O-13) from callers that begin,
 * continue or cancel its tasks.
 */
@Injectable()
export class SkillScopes {
  /** All scopes required by skills. */
  private readonly asked: readonly string[];

  constructor(
    private readonly skills: SkillRegistry,
    private readonly gate: CallerGate,
    private readonly policies: Policies,
  ) {
    this.asked = [...new Set(skills.options.flatMap(({ scopes = [] }) => scopes))];
  }

  /** Whether a caller may be refused: it lacks a scope required by some skill, or the policy has rules about calls. */
  mayRefuse({ principal }: Pick<Call, 'principal'>): boolean {
    return this.policies.current.isAboutCalls || missingScope(principal, this.asked) !== undefined;
  }

  /** The caller's scopes that skills require, as rights of its task's children. Undefined for none. */
  heldBy({ principal }: Pick<Call, 'principal'>): readonly string[] | undefined {
    if (this.asked.length === 0) return undefined;
    return this.asked.filter((scope) => missingScope(principal, [scope]) === undefined);
  }

  /**
   * The same for an answer to a question of a skill. An answer on behalf of the task's caller needs the scope of
   * approvers instead of the skill's, which would also permit to begin such tasks.
   */
  requireAnswer(skillId: string, call: Pick<Call, 'principal' | 'isOnBehalf'>): void {
    if (call.isOnBehalf === true) this.policies.requireCall(call.principal, this.named(skillId));
    else this.require(skillId, call);
  }

  /** A removed skill requires nothing. @throws AuthError PermissionDenied, PolicyRefusal */
  require(skillId: string, { principal }: Pick<Call, 'principal'>): void {
    const skill = this.named(skillId);
    this.gate.requireScopes(principal, skill.scopes ?? []);
    this.policies.requireCall(principal, skill);
  }

  /** Whether `require` permits the skill to the caller. */
  allows(skillId: string, { principal }: Pick<Call, 'principal'>): boolean {
    const skill = this.named(skillId);
    if (missingScope(principal, skill.scopes ?? []) !== undefined) return false;
    return this.policies.current.mayUse(principal, skill).isAllowed;
  }

  private named(id: string): Pick<SkillOptions, 'id' | 'scopes' | 'aliasOf'> {
    return this.skills.find(id)?.options ?? { id };
  }
}
