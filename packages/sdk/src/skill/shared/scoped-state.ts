import type { SharedState } from '../skill.js';
import { SkillFailure } from '../skill-failure.js';

/** Where a shared value is known: in the tree of tasks, in all tasks of the context, of the user or of the tenant, or in this turn only. */
export type Scope = 'tree' | 'context' | 'user' | 'app' | 'temp';

const NAME = /^(?:(context|user|app|temp):)?([^:]{1,256})$/s;

/** The scope of a shared value, which is the prefix of its name, and its name there. @throws RangeError */
export function scopeOf(name: string): { readonly scope: Scope; readonly name: string } {
  const [, scope = 'tree', rest] = NAME.exec(name) ?? [];
  if (rest === undefined) {
    throw new RangeError(
      `"${name}" is no name of a shared value: it has 1 to 256 characters without ":", behind "context:", "user:", "app:" or "temp:" where it is not of the tree`,
    );
  }
  return { scope: scope as Scope, name: rest };
}

/** A name without its scope, as rules about names have it. */
export function unscoped(name: string): string {
  return name.replace(/^(?:context|user|app|temp):/, '');
}

/** `context.shared`: the prefix of a name says where its value is known. */
export function scopedState(of: (scope: Scope) => SharedState): SharedState {
  const at = (name: string): readonly [SharedState, string] => {
    const found = scopeOf(name);
    return [of(found.scope), found.name];
  };
  return {
    get: async (full) => {
      const [state, name] = at(full);
      return state.get(name);
    },
    set: async (full, value) => {
      const [state, name] = at(full);
      await state.set(name, value);
    },
    setIfAbsent: async (full, value) => {
      const [state, name] = at(full);
      return state.setIfAbsent(name, value);
    },
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
