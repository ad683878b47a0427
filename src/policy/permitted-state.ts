import { type SharedState, SkillFailure } from '@parley/sdk/skill/skill.js';
import type { AuditedCaller, Policies } from './policies.js';

/**
 * The state of a context as far as the policy lets the caller of a skill have its keys: others read as absent (O-12).
 */
export function permittedState(
  policies: Policies,
  { skill, ...caller }: AuditedCaller & { readonly skill: string },
  state: SharedState,
): SharedState {
  const has = (name: string): boolean => policies.mayHave(caller, skill, name);
  const requireKey = (name: string): void => {
    if (!has(name)) throw new SkillFailure(`The caller of the task may not have the value "${name}".`);
  };
  return {
    get: (name) => (has(name) ? state.get(name) : Promise.resolve(undefined)),
    set: async (name, value) => {
      requireKey(name);
      await state.set(name, value);
    },
    setIfAbsent: async (name, value) => {
      requireKey(name);
      return state.setIfAbsent(name, value);
    },
  };
}
