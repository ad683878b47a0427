import { type SkillClass, type SkillHandler, type SkillOptions, skillOptionsOf } from '../skill/skill.js';
import { type Catalog, catalogOf, startFaults } from '../skill/start-check.js';

/**
 * The skills of a test. Of those that it does not give as classes only the ids are known: `parley build` judges all together.
 * @param meet called with each class that a flow names
 */
export function testCatalog(others: () => readonly SkillOptions[], meet: (skill: SkillClass) => void): Catalog {
  const named = (id: string): SkillOptions => ({ id, name: id, description: id, tags: [], outputModes: ['*/*'] });
  return {
    get skills() {
      return others();
    },
    find: (id) => catalogOf(others()).find(id) ?? named(id),
    findTool: () => ({ description: '', input: { type: 'object' } }),
    meet,
  };
}

/** Judges a skill as a start does. @throws Error with a line for each fault */
export function assertStartable(handler: SkillHandler, catalog: Catalog): void {
  const faults = startFaults(handler.constructor as SkillClass, handler, catalog);
  if (faults.length > 0)
    throw new Error(`The service would not start with ${handler.constructor.name}: ${faults.join('\n')}`);
}

/** The options of a child that is a skill; undefined for an answer. */
export function optionsOfChild(child: object): SkillOptions | undefined {
  return skillOptionsOf(typeof child === 'function' ? child : child.constructor);
}
