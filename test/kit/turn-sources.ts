import { SkillRegistry } from '../../src/skill/skill.registry.js';
import type { WaitSources } from '../../src/run/turn-waits.js';
import type { TaskStores } from './task-stores.js';

/** What a turn needs beside its run, with the skills that it may call; wakes no workers. */
export function turnSources({ trees, questions }: TaskStores, skills = new SkillRegistry([])): WaitSources {
  return { trees, questions, skills, sendersOf: () => Promise.resolve([]), wake: () => undefined, idleMs: 0 };
}
