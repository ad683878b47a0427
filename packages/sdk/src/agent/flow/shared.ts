import { scopeOf, unscoped } from '../../skill/shared/scoped-state.js';
import type { Scope } from '../check/scope.js';
import { Source } from '../source.js';
import { asked, type Facts, NOTHING, type Step } from '../step.js';
import type { Values } from './branch-values.js';

/** How a shared value is read. */
export interface SharedGetOptions {
  /** The name under which later steps find the value. Default: the name of the shared value, without its scope. */
  readonly as?: string;
  /** The value where none is shared. Without it, later steps must do without. */
  readonly otherwise?: unknown;
}

/** Reads and writes the shared values of the tree, as `context.shared` does. */
export const shared = { get, set } as const;

/** Reads a shared value; the prefix of its name is its scope: `context:`, `user:`, `app:` or `temp:`. */
function get<State extends object = Values>(
  name: string,
  { as = unscoped(name), otherwise }: SharedGetOptions = {},
): Step<State> {
  return {
    ...{ name: as, as },
    run: async ({ context }) => ({ ...NOTHING, value: (await context.shared.get(name)) ?? otherwise }),
    check: (scope) => {
      checkName(name, scope);
      const known = { origin: `the shared value "${name}"` };
      return otherwise === undefined ? { ...known, isOptional: true } : known;
    },
  };
}

/** Writes a shared value, which a source or a pure function makes. The value of the step before stays the last. */
function set<State extends object = Values>(
  name: string,
  value: Source | ((state: State, facts: Facts) => unknown),
): Step<State> {
  return {
    name: unscoped(name),
    run: async (frame) => {
      await frame.context.shared.set(name, value instanceof Source ? value.read(frame) : asked(value, frame));
      return NOTHING;
    },
    check: (scope) => {
      if (checkName(name, scope) === 'app') scope.fault(`operators set the value "${name}": a flow can only read it`);
      if (value instanceof Source) value.check(scope);
      return scope.last;
    },
  };
}

function checkName(name: string, scope: Scope): ReturnType<typeof scopeOf>['scope'] | undefined {
  try {
    return scopeOf(name).scope;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    scope.fault(error.message);
    return undefined;
  }
}
