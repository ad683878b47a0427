import type { Policies } from '../policy/policies.js';
import type { SkillOptions } from '../skill/skill.js';
import type { ClaimedRun } from '../task/run.store.js';

/** A call of a skill by another one, for the caller of the task. */
export interface JudgedCall {
  readonly run: Pick<ClaimedRun, 'tenant' | 'client' | 'subject' | 'scopes' | 'skillId'>;
  /** The skill that calls. */
  readonly parent: Pick<SkillOptions, 'actsAs'> | undefined;
  readonly child: Pick<SkillOptions, 'id' | 'scopes'>;
}

/**
 * Why a skill must not be called; undefined where it may. A child may what the caller of the root may (I13), unless the skill that calls acts
 * as the service (`actsAs`) and a rule of the policy names it for the child.
 */
export function callRefusal({ run, parent, child }: JudgedCall, policies: Policies): string | undefined {
  const refusal = refusalForCaller({ run, parent, child }, policies);
  if (refusal === undefined || parent?.actsAs !== 'service') return refusal;
  return policies.mayActAsService(run, run.skillId, child.id) ? undefined : refusal;
}

function refusalForCaller({ run, child }: JudgedCall, policies: Policies): string | undefined {
  const missing = (child.scopes ?? []).find((scope) => !run.scopes.includes(scope));
  if (missing !== undefined) return `the caller of the task lacks the scope "${missing}"`;
  if (policies.current.mayCall(run, child.id).isAllowed) return undefined;
  return `the policy does not let the caller of the task use "${child.id}"`;
}
