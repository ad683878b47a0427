import { Injectable } from '@nestjs/common';
import { CallerGate } from '../security/auth/caller.gate.js';
import { missingScope } from '../security/auth/scopes.js';
import { Policies } from '../policy/policies.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import type { Call } from './call.js';

/**
 * Requires the scopes of a skill from callers that begin, continue or cancel one of its tasks (A2A-AUTHZ-03), and that the
 * policy lets them (O-13).
 */
@Injectable()
export class SkillScopes {
  /** The scopes that some skill asks for. */
  private readonly asked: readonly string[];

  constructor(
    private readonly skills: SkillRegistry,
    private readonly gate: CallerGate,
    private readonly policies: Policies,
  ) {
    this.asked = [...new Set(skills.options.flatMap(({ scopes = [] }) => scopes))];
  }

  /** Whether any skill asks for a scope that the caller lacks, or rules are about calls: else every task is the same. */
  mayRefuse({ principal }: Pick<Call, 'principal'>): boolean {
    return this.policies.current.isAboutCalls || missingScope(principal, this.asked) !== undefined;
  }

  /** The scopes of the caller that some skill asks for: its task's children may do what these allow. Absent for none. */
  heldBy({ principal }: Pick<Call, 'principal'>): readonly string[] | undefined {
    if (this.asked.length === 0) return undefined;
    return this.asked.filter((scope) => missingScope(principal, [scope]) === undefined);
  }

  /**
   * The same for an answer to a question of a skill. Somebody that answers for the caller of a task needs the scope of approvers
   * in place of the skill's: it shall not begin such tasks.
   */
  requireAnswer(skillId: string, call: Pick<Call, 'principal' | 'isOnBehalf'>): void {
    if (call.isOnBehalf === true) this.policies.requireCall(call.principal, this.named(skillId));
    else this.require(skillId, call);
  }

  /** A skill that is not offered any more asks for none. @throws AuthError PermissionDenied, PolicyRefusal */
  require(skillId: string, { principal }: Pick<Call, 'principal'>): void {
    const skill = this.named(skillId);
    this.gate.requireScopes(principal, skill.scopes ?? []);
    this.policies.requireCall(principal, skill);
  }

  /** Whether `require` lets the caller use the skill. */
  allows(skillId: string, { principal }: Pick<Call, 'principal'>): boolean {
    const skill = this.named(skillId);
    if (missingScope(principal, skill.scopes ?? []) !== undefined) return false;
    return this.policies.current.mayUse(principal, skill).isAllowed;
  }

  private named(id: string): Pick<SkillOptions, 'id' | 'scopes' | 'aliasOf'> {
    return this.skills.find(id)?.options ?? { id };
  }
}
