import { Policy, type PolicyCaller } from './policy.js';
import type { PolicyFileDto } from './dto/policy-file.dto.js';

/** A question to a policy: may the caller use the intent, a skill that it calls, and keys of memory? */
export interface PolicyQuestion {
  readonly tenant: string;
  readonly caller: string;
  readonly intent?: string;
  readonly skill?: string;
  readonly key?: string;
}

/** One answer: the question, the decision, and the deciding rule. */
export interface PolicyAnswer {
  readonly what: string;
  readonly isAllowed: boolean;
  readonly rule: string;
}

/**
 * The rule that decides each part of a question. A call of a skill by an intent is decided by the caller of the intent.
 */
export function explain(
  file: PolicyFileDto,
  { tenant, caller, intent, skill, key }: PolicyQuestion,
): readonly PolicyAnswer[] {
  const policy = new Policy(file);
  const who: PolicyCaller = { tenant, client: caller.replace(/^agent:(\/\/)?/, '') };
  const answer = (what: string, { isAllowed, rule }: ReturnType<Policy['mayCall']>): PolicyAnswer => ({
    ...{ what, isAllowed, rule: rule ?? 'no rule is about it' },
  });
  return [
    ...(intent === undefined ? [] : [answer(`intent ${intent}`, policy.mayCall(who, intent))]),
    ...(skill === undefined ? [] : [answer(`skill ${skill}`, policy.mayCall(who, skill))]),
    ...(key === undefined ? [] : [answer(`key ${key}`, policy.mayHave(who, key))]),
  ];
}
