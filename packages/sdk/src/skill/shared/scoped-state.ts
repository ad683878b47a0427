import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SharedState } from '../skill.js';
import { SkillFailure } from '../skill-failure.js';

/** Values that a message brings: a skill can only read them. */
export function broughtState(scope: 'caller' | 'parent', values: JsonObject): SharedState {
  const refuse = (name: string): Promise<never> =>
    Promise.reject(new SkillFailure(`The value "${name}" is of the ${scope}: skills can only read it.`));
  return {
    get: (name) => Promise.resolve(Object.hasOwn(values, name) ? values[name] : undefined),
    ...{ set: refuse, setIfAbsent: refuse },
  };
}

/** Values of one turn: a run that repeats the turn makes them again. */
export function fleetingState(): SharedState {
  const values = new Map<string, string>();
  const read = (name: string): unknown => {
    const text = values.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  };
  const set = (name: string, value: unknown): Promise<void> => {
    values.set(name, JSON.stringify(value ?? null));
    return Promise.resolve();
  };
  return {
    get: (name) => Promise.resolve(read(name)),
    set,
    setIfAbsent: async (name, value) => {
      if (!values.has(name)) await set(name, value);
      return read(name);
    },
  };
}

/** The values of a tenant, which its operators set and skills read. */
export function operatorState(get: SharedState['get']): SharedState {
  const refuse = (name: string): Promise<never> =>
    Promise.reject(new SkillFailure(`Operators set the value "app:${name}": skills can only read it.`));
  return { get, set: refuse, setIfAbsent: refuse };
}
