import { checkName, type Scope as SharedScope } from '../../skill/shared/scope.js';
import type { Scope } from '../check/scope.js';
import { Source } from '../source.js';
import { asked, type Facts, NOTHING, type Step } from '../step.js';
import type { Values } from './branch-values.js';

/** How a shared value is read. */
export interface SharedGetOptions {
  /** The scope of the value, as in `context.shared(scope)`; default `tree`. */
  readonly scope?: SharedScope;
  /** The name under which later steps find the value. Default: the name of the shared value. */
  readonly as?: string;
  /** The value where none is shared. Without it, later steps must do without. */
  readonly otherwise?: unknown;
}

/** Reads and writes shared values, as `context.shared` does. */
export const shared = { get, set } as const;

/** Reads a shared value. */
function get<State extends object = Values>(
  name: string,
  { scope: of, as = name, otherwise }: SharedGetOptions = {},
): Step<State> {
  return {
    ...{ name: as, as },
    run: async ({ context }) => ({ ...NOTHING, value: (await context.shared(of).get(name)) ?? otherwise }),
    check: (scope) => {
      checkShared(of, name, scope);
      const known = { origin: `the shared value "${name}"` };
      return otherwise === undefined ? { ...known, isOptional: true } : known;
    },
  };
}

/** Writes a shared value, which a source or a pure function makes. The value of the step before stays the last. */
function set<State extends object = Values>(
  name: string,
  value: Source | ((state: State, facts: Facts) => unknown),
  { scope: of }: Pick<SharedGetOptions, 'scope'> = {},
): Step<State> {
  return {
    name,
    run: async (frame) => {
      await frame.context.shared(of).set(name, value instanceof Source ? value.read(frame) : asked(value, frame));
      return NOTHING;
    },
    check: (scope) => {
      checkShared(of, name, scope);
      if (of === 'app' || of === 'caller' || of === 'parent')
        scope.fault(`the value "${name}" of the scope "${of}" is set elsewhere: a flow can only read it`);
      if (value instanceof Source) value.check(scope);
      return scope.last;
    },
  };
}

function checkShared(of: SharedScope | undefined, name: string, scope: Scope): void {
  try {
    checkName(of ?? 'tree', name);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    scope.fault(error.message);
  }
}
