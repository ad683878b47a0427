import type { Policies } from '../../policy/policies.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';

/** A call of one skill by another, on behalf of the task's caller. */
export interface JudgedCall {
  readonly run: Pick<ClaimedRun, 'tenant' | 'client' | 'subject' | 'scopes' | 'skillId'>;
  /** The calling skill. */
  readonly parent: Pick<SkillOptions, 'actsAs'> | undefined;
  readonly child: Pick<SkillOptions, 'id' | 'scopes' | 'aliasOf'>;
}

/**
 * The reason for refusing a call; undefined when it is permitted. A child has at most the rights of the root's caller
 * (I13), unless the calling skill acts as the service (`actsAs`) and a policy rule permits that for each name of the
 * child that the caller may not use.
 */
export function callRefusal({ run, parent, child }: JudgedCall, policies: Policies): string | undefined {
  const { id, aliasOf = id, scopes = [] } = child;
  const missing = scopes.find((scope) => !run.scopes.includes(scope));
  const forbidden = [id, aliasOf].filter((name) => !policies.current.mayCall(run, name).isAllowed);
  if (missing === undefined && forbidden.length === 0) return undefined;
  const asked = new Set(missing === undefined ? forbidden : [id, ...forbidden]);
  const isService = parent?.actsAs === 'service';
  if (isService && [...asked].every((name) => policies.mayActAsService(run, run.skillId, name))) return undefined;
  if (missing !== undefined) return `the caller of the task lacks the scope "${missing}"`;
  return `the policy does not let the caller of the task use "${id}"`;
}
