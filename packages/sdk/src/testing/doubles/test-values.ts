import { randomUUID } from 'node:crypto';
import { RequestFailed } from '../../skill/requests/skill-request.js';
import { journaledName } from '../../skill/replay/model-round.js';
import type { StoredScope } from '../../skill/shared/scope.js';
import { operatorState } from '../../skill/shared/scoped-state.js';
import { type StepOptions, undoOf } from '../../skill/undo.js';
import type { SkillHost } from '../../skill/context/skill-host.js';
import type { SharedState, SkillContext, SkillState } from '../../skill/skill.js';
import type { TestTurn } from '../waiting-run.js';

/** State in a map of the test. */
function stateOf(values: Map<string, unknown>): SkillState {
  return {
    get: (name) => Promise.resolve(values.get(name)),
    set: (name, value) => Promise.resolve(void values.set(name, asStored(value))),
  };
}

/** State that several tasks share. */
function sharedStateOf(values: Map<string, unknown>): SharedState {
  const state = stateOf(values);
  return {
    ...state,
    async setIfAbsent(name, value) {
      if (!values.has(name)) await state.set(name, value);
      return state.get(name);
    },
  };
}

/** Steps whose results are in a map of the test. */
export function journalIn(test: TestTurn, results: Map<string, unknown>): SkillHost['step'] {
  return async <T>(given: string, work: () => Promise<T>, options: StepOptions<T>): Promise<T> => {
    const name = journaledName(test.run.replay, given);
    const stepped = async (call: number): Promise<object> => {
      if (results.has(name)) return { value: results.get(name) };
      const value = await work();
      const undo = undoOf(options, value);
      if (undo !== undefined) test.undos.push({ at: [call, 0], of: name, undo });
      results.set(name, asStored(value));
      return { value: results.get(name) };
    };
    return (await test.run.replay.ask(`step ${name}`, stepped, () => results.get(name))) as T;
  };
}

/** Reads and writes that a repeated run does not do again. */
function recorded(test: TestTurn, target: string, { get, set }: SkillState): SkillState {
  return {
    get: (name) => asked(test, `${target}.get ${name}`, () => get(name)),
    set: async (name, value) => {
      await asked(test, `${target}.set ${name}`, () => set(name, value));
    },
  };
}

function recordedShared(test: TestTurn, target: string, shared: SharedState): SharedState {
  return {
    ...recorded(test, target, shared),
    setIfAbsent: (name, value) => asked(test, `${target}.setIfAbsent ${name}`, () => shared.setIfAbsent(name, value)),
  };
}

/** The values of a context: in maps of the test. */
export function valuesOf(
  test: TestTurn,
  input: {
    readonly state?: Map<string, unknown>;
    readonly contextValues: Map<string, unknown>;
    readonly appValues?: ReadonlyMap<string, unknown>;
  },
): Pick<SkillHost, 'state' | 'shared'> {
  const of = (name: string, state: SharedState): SharedState => recordedShared(test, name, state);
  const others: Readonly<Record<Exclude<StoredScope, 'tree' | 'temp'>, SharedState>> = {
    context: of('contextState', sharedStateOf(input.contextValues)),
    user: of('shared.user', sharedStateOf(new Map())),
    app: of(
      'shared.app',
      operatorState((name) => Promise.resolve(input.appValues?.get(name))),
    ),
  };
  return {
    state: recorded(test, 'state', stateOf(input.state ?? new Map<string, unknown>())),
    shared: (scope) => {
      if (scope === 'tree') return test.shared.values;
      return scope === 'temp' ? test.shared.ofTurn : others[scope];
    },
  };
}

/** Does work once: a repeated run gets the journaled result. */
export function asked(test: TestTurn, what: string, work: (call: number) => Promise<unknown>): Promise<unknown> {
  const answer = async (call: number): Promise<object> => {
    const value = await work(call);
    return value === undefined ? {} : { value, json: JSON.stringify(value) };
  };
  return test.run.replay.ask(what, answer, (json) => (json === undefined ? undefined : (JSON.parse(json) as unknown)));
}

/** The value after JSON, as from storage, so that a test sees the effect on a Date or a Map. */
function asStored(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** Ids that a test may name. */
type TestIds = Partial<Pick<SkillContext, 'taskId' | 'rootId' | 'contextId' | 'turn' | 'attempt'>>;

/** The ids of a context under test: random unless the test names them. */
export function idsOf({
  taskId = randomUUID(),
  rootId = taskId,
  contextId = randomUUID(),
  turn = 1,
  attempt = 1,
}: TestIds) {
  return { taskId, rootId, contextId, turn, attempt, idempotencyKey: `${taskId}:${String(turn)}` };
}

/** The answer of a test that gives none. */
export function noFetch(url: string): never {
  throw new RequestFailed('blocked', `The test gives no answer for ${url}: give it \`fetch\``);
}
