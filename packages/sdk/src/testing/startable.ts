import type { SkillClass, SkillHandler, SkillOptions } from '../skill/skill.js';
import { catalogOf, startFaults } from '../skill/start-check.js';

/**
 * Judges a skill as a start does. Of the other skills only those that the test gives as classes are known in full: `parley build`
 * judges all together. @throws Error with a line for each fault
 */
export function assertStartable(handler: SkillHandler, others: readonly SkillOptions[]): void {
  const { skills, find } = catalogOf(others);
  const named = (id: string): SkillOptions => ({ id, name: id, description: id, tags: [], outputModes: ['*/*'] });
  const catalog = { skills, find: (id: string) => find(id) ?? named(id) };
  const faults = startFaults(handler.constructor as SkillClass, handler, catalog);
  if (faults.length > 0)
    throw new Error(`The service would not start with ${handler.constructor.name}: ${faults.join('\n')}`);
}
