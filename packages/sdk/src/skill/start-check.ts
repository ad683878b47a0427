import type { SkillClass, SkillHandler, SkillOptions } from './skill.js';

/** The skills that a skill can call: those of this service, and of others that it knows. */
export interface Catalog {
  readonly skills: readonly SkillOptions[];
  readonly find: (id: string) => SkillOptions | undefined;
}

/** The catalog of exactly these skills. */
export function catalogOf(skills: readonly SkillOptions[]): Catalog {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  return { skills, find: (id) => byId.get(id) };
}

/** Lists, a line each, the reasons why a skill cannot work with the other skills of the service. */
export type StartCheck = (handler: SkillHandler, catalog: Catalog) => readonly string[];

const CHECKS = new WeakMap<object, StartCheck>();

/** Has skills of this class checked when the service starts; a fault stops the start. */
export function checkAtStart(target: SkillClass, check: StartCheck): void {
  CHECKS.set(target, check);
}

/** The faults of a skill in a catalog; none for a class without a check. */
export function startFaults(target: SkillClass, handler: SkillHandler, catalog: Catalog): readonly string[] {
  return CHECKS.get(target)?.(handler, catalog) ?? [];
}
