import type { JsonObject } from '@parley/protocol/model/json.js';
import { type BranchEnd, type FanOutOptions, isDone, runBranches } from './branches.js';
import type { Values } from './branch-values.js';
import type { Known, Scope } from '../check/scope.js';
import { checkStep } from './check-step.js';
import { joined, type Reducers } from '../../skill/shared/reducer.js';
import { Source } from '../source.js';
import { type AnyStep, asked, type Facts, type Frame, named, type Step } from '../step.js';

/** How steps run at the same time. */
export interface ParallelOptions extends FanOutOptions {
  readonly as?: string;
  /** How values become one that several branches write under the same name. Without a rule, the service does not start. */
  readonly reduce?: Reducers;
}

/**
 * Runs steps at the same time, each with the values as they are now. Its value has those of the branches by their names;
 * with `collect` and `quorum` it is `{ done, failed }`, and `failed` has the reasons.
 */
export function parallel<State extends object = Values>(
  branches: Readonly<Record<string, Step<State>>>,
  options: ParallelOptions = {},
): Step<State> {
  const { as, reduce = {}, onFailure = 'fail' } = options;
  const steps = Object.entries(branches).map(([name, step]) => ({ name, step }));
  return {
    name: 'parallel',
    ...named(as),
    run: async (frame) => {
      const ends = await runBranches(frame, steps, options);
      keepWrites(frame, ends, reduce);
      const named = ends.map((end, at) => ({ end, name: steps[at]?.name ?? '' }));
      const done = Object.fromEntries(
        named.flatMap(({ end, name }) => (isDone(end) ? [[name, end.result.value]] : [])),
      );
      if (onFailure === 'fail') return { value: done, artifacts: [] };
      const failed = Object.fromEntries(named.flatMap(({ end, name }) => (isDone(end) ? [] : [[name, reasonOf(end)]])));
      return { value: { done, failed }, artifacts: [] };
    },
    check: (scope) => {
      if (steps.length === 0) scope.fault('it has no branches');
      checkOptions(options, steps.length, scope);
      const known = steps.map(({ name, step }) => [name, checkBranch(step, name, scope)] as const);
      checkWriters(known, reduce, scope);
      const properties = Object.fromEntries(known.map(([name, { value }]) => [name, value.schema ?? {}]));
      const isWhole = onFailure === 'fail';
      for (const [, { inner }] of known) scope.adopt(inner, !isWhole);
      const origin = 'the values of the branches';
      if (!isWhole) return { schema: partialSchema({ type: 'object', properties }, FAILED_BY_NAME), origin };
      const required = known.map(([name]) => name);
      return { schema: { type: 'object', properties, required, additionalProperties: false }, origin };
    },
  };
}

/** How a step runs for each item of a list. */
export interface MapStepOptions<State extends object = Values> extends FanOutOptions {
  readonly as?: string;
  /** The list: a source, or a pure function of the values. */
  readonly over: Source | ((state: State, facts: Facts) => readonly unknown[]);
  /** The step for one item, which is `from.item()` and `facts.item`. */
  readonly each: Step<State>;
  /** The name of an item's branch, instead of its number. */
  readonly key?: (item: unknown, index: number) => string;
  readonly reduce?: Reducers;
}

/**
 * Runs a step for each item of a list, at most `limit` (10) at once. Its value is the list of values in the order of the
 * items; with `collect` and `quorum` it is `{ done: [{ index, value }], failed: [{ index, reason }] }`.
 */
export function map<State extends object = Values>(options: MapStepOptions<State>): Step<State> {
  const { as, over, each, key = (_item, index) => String(index), reduce = {}, onFailure = 'fail' } = options;
  return {
    name: 'map',
    ...named(as),
    run: async (frame) => {
      const items = listOf(over instanceof Source ? over.read(frame) : asked(over, frame));
      const branches = items.map((item, index) => ({
        name: key(item, index),
        step: each,
        facts: { item, index, last: item },
      }));
      const ends = await runBranches(frame, branches, options);
      keepWrites(frame, ends, reduce);
      return { value: mapValue(ends, onFailure), artifacts: [] };
    },
    check: (scope) => checkMap(options, scope),
  };
}

function mapValue(ends: readonly BranchEnd[], onFailure: FanOutOptions['onFailure']): unknown {
  const done = ends.flatMap((end, index) => (isDone(end) ? [{ index, value: end.result.value }] : []));
  if (onFailure === 'fail') return done.map(({ value }) => value);
  const failed = ends.flatMap((end, index) => (isDone(end) ? [] : [{ index, reason: reasonOf(end) }]));
  return { done, failed };
}

function checkMap<State extends object>(
  { over, each, reduce = {}, onFailure = 'fail', ...options }: MapStepOptions<State>,
  scope: Scope,
): Known {
  checkOptions({ ...options, onFailure }, Infinity, scope);
  const list = over instanceof Source ? over.check(scope) : { origin: 'the function of the map' };
  const { type, items } = list.schema ?? {};
  if (type !== undefined && type !== 'array') scope.fault(`${list.origin} is no list`);
  const schema = asSchema(items);
  const item = { origin: `an item of ${list.origin}`, ...(schema === undefined ? {} : { schema }) };
  const { inner, value } = checkBranch(each, 'each', scope, item);
  for (const name of inner.written.keys()) {
    if (!Object.hasOwn(reduce, name)) scope.fault(`each item writes "${name}": declare a reducer for it`);
  }
  scope.adopt(inner, true);
  const values = { type: 'array', items: value.schema ?? {} };
  const origin = `the values of the items`;
  if (onFailure === 'fail') return { schema: values, origin };
  const done = listSchema({ index: INTEGER, value: value.schema ?? {} });
  return { schema: partialSchema(done, listSchema({ index: INTEGER, reason: TEXT })), origin };
}

function checkBranch(
  step: AnyStep,
  name: string,
  scope: Scope,
  item: Known | undefined = scope.item,
): { readonly inner: Scope; readonly value: Known } {
  const inner = scope.inside('', item === undefined || item === scope.item ? {} : { item, last: item });
  return { value: checkStep(step, inner, { segment: name }), inner };
}

/** Two branches that write the same name need a rule. */
function checkWriters(
  branches: readonly (readonly [string, { readonly inner: Scope }])[],
  reduce: Reducers,
  scope: Scope,
): void {
  const writers = new Map<string, string>();
  for (const [branch, { inner }] of branches) {
    for (const name of inner.written.keys()) {
      const other = writers.get(name);
      if (other !== undefined && !Object.hasOwn(reduce, name)) {
        scope.fault(`the branches "${other}" and "${branch}" both write "${name}": declare a reducer for it`);
      }
      writers.set(name, branch);
    }
  }
}

function checkOptions({ limit, onFailure, quorum }: FanOutOptions, branches: number, scope: Scope): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    scope.fault('its limit is a whole number above 0');
  const isQuorum = quorum !== undefined && Number.isInteger(quorum) && quorum > 0 && quorum <= branches;
  if (onFailure === 'quorum' && !isQuorum) scope.fault('its quorum is a whole number from 1 to the number of branches');
  if (onFailure !== 'quorum' && quorum !== undefined) scope.fault("a quorum needs onFailure: 'quorum'");
}

function keepWrites(frame: Frame, ends: readonly BranchEnd[], reduce: Reducers): void {
  for (const [name, value] of joined(ends.filter(isDone), reduce)) frame.values.set(name, value);
}

function reasonOf({ result }: BranchEnd): string {
  return result instanceof Error ? result.message : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const INTEGER: JsonObject = { type: 'integer' };
const TEXT: JsonObject = { type: 'string' };
const FAILED_BY_NAME: JsonObject = { type: 'object', additionalProperties: TEXT };

function partialSchema(done: JsonObject, failed: JsonObject): JsonObject {
  return objectSchema({ done, failed });
}

function listSchema(properties: JsonObject): JsonObject {
  return { type: 'array', items: objectSchema(properties) };
}

function objectSchema(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function asSchema(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;
}
