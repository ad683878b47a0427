import { Injectable } from '@nestjs/common';
import { CallerGate } from '../security/auth/caller.gate.js';
import { missingScope } from '../security/auth/scopes.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import type { Call } from './call.js';

/** Requires the scopes of a skill from callers that begin, continue or cancel one of its tasks (A2A-AUTHZ-03). */
@Injectable()
export class SkillScopes {
  constructor(
    private readonly skills: SkillRegistry,
    private readonly gate: CallerGate,
  ) {}

  /** Whether any skill asks for a scope that the caller lacks: only then it matters which skill a task has. */
  mayRefuse({ principal }: Pick<Call, 'principal'>): boolean {
    const scopes = this.skills.options.flatMap(({ scopes = [] }) => scopes);
    return missingScope(principal, scopes) !== undefined;
  }

  /** A skill that is not offered any more asks for none. @throws AuthError PermissionDenied */
  require(skillId: string, { principal }: Pick<Call, 'principal'>): void {
    this.gate.requireScopes(principal, this.skills.find(skillId)?.options.scopes ?? []);
  }
}
