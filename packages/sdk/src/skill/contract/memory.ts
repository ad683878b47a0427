import { A2AError } from '@parley/protocol/model/errors.js';
import { anyOf, type NameTest } from './glob.js';
import type { SharedState, SkillMemory, SkillOptions } from '../skill.js';

const NOTHING: NameTest = () => false;
const ANYTHING: NameTest = () => true;
const TESTS = new WeakMap<SkillMemory, { readonly reads: NameTest; readonly writes: NameTest }>();

/** Which keys of a caller's memory a skill may read: by the globs of its contract, none without one (O-11). */
export function readsOf(skill: Pick<SkillOptions, 'memory'> | undefined): NameTest {
  return skill?.memory === undefined ? NOTHING : testsOf(skill.memory).reads;
}

/** The values of a scope for a skill that declares its memory: it reads and sets the names in its contract. */
export function declaredState(skillId: string, memory: SkillMemory, state: SharedState): SharedState {
  const { reads, writes } = testsOf(memory);
  const has = (name: string): boolean => reads(name) || writes(name);
  const requireWrite = (name: string): void => {
    if (writes(name)) return;
    throw new A2AError('InvalidAgentResponse', `The skill ${skillId} sets "${name}", which its contract does not name`);
  };
  return {
    get: (name) => (has(name) ? state.get(name) : Promise.resolve(undefined)),
    set: async (name, value) => {
      requireWrite(name);
      await state.set(name, value);
    },
    setIfAbsent: async (name, value) => {
      requireWrite(name);
      return state.setIfAbsent(name, value);
    },
  };
}

function testsOf(memory: SkillMemory): { readonly reads: NameTest; readonly writes: NameTest } {
  const known = TESTS.get(memory);
  if (known !== undefined) return known;
  const { reads, writes } = memory;
  const tests = {
    reads: reads === undefined ? NOTHING : anyOf(reads),
    writes: writes === undefined ? ANYTHING : anyOf(writes),
  };
  TESTS.set(memory, tests);
  return tests;
}
