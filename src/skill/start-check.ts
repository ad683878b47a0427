import type { SkillClass, SkillHandler, SkillOptions } from './skill.js';

/** Says in words, a line each, why a skill cannot work with the other skills of the service. */
export type StartCheck = (handler: SkillHandler, catalog: readonly SkillOptions[]) => readonly string[];

const CHECKS = new WeakMap<object, StartCheck>();

/** Has skills of this class checked when the service starts; what the check finds stops the start. */
export function checkAtStart(target: SkillClass, check: StartCheck): void {
  CHECKS.set(target, check);
}

/** What the check of a class finds; nothing for a class without one. */
export function startFaults(
  target: SkillClass,
  handler: SkillHandler,
  catalog: readonly SkillOptions[],
): readonly string[] {
  return CHECKS.get(target)?.(handler, catalog) ?? [];
}
