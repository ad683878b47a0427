import { hostOf } from './context/skill-host.js';
import type { SkillContext } from './skill.js';
import { inStep } from './step-scope.js';

/**
 * A step of a context during which the skill continues to yield: its result counts as given when it was asked for, so that a repeated
 * run has the result first, and yields the same events from it. Undefined once the turn has waited; until then a lost run is repeated
 * from its start, and its stream begins anew.
 */
export function liveStepOf(context: object): SkillContext['step'] | undefined {
  const { step, isFresh } = hostOf(context);
  if (step === undefined || isFresh?.() !== true) return undefined;
  return (name, work, options = {}) => step(name, () => inStep(name, work), { ...options, isLive: true });
}
