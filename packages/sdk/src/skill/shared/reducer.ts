import { isDeepStrictEqual } from 'node:util';
import { SkillFailure } from '../skill-failure.js';

/** How two values become one that parallel branches have written under the same name. A function must be pure. */
export type Reducer =
  'append' | 'union' | 'sum' | 'max' | 'deepMerge' | 'first' | ((one: unknown, other: unknown) => unknown);

/** Reducers by the name of the value. */
export type Reducers = Readonly<Record<string, Reducer>>;

/** Values written by a branch. */
export interface BranchWrites {
  readonly branch: string;
  readonly written: ReadonlyMap<string, unknown>;
}

/** Characters of a value in an error. */
const SHOWN = 200;

/**
 * Joins the writes of branches, in their order. A name with one writer keeps its value, and so does one whose writers
 * agree; else its reducer decides. Throws `SkillFailure` with both values where there is none.
 */
export function joined(branches: readonly BranchWrites[], reducers: Reducers): ReadonlyMap<string, unknown> {
  const values = new Map<string, Written>();
  for (const { branch, written } of branches) {
    for (const [name, value] of written) {
      const own = { value, branch };
      const before = values.get(name);
      values.set(name, before === undefined ? own : joinedPair(name, [before, own], reducers[name]));
    }
  }
  return new Map([...values].map(([name, { value }]) => [name, value]));
}

/**
 * Joins values that branches have read before they wrote them: lists and sums take the additions of each branch since
 * the fork. Else as `joined`.
 * @param before the value of a name at the fork
 */
export function joinedSince(
  before: (name: string) => unknown,
  branches: readonly BranchWrites[],
  reducers: Reducers,
): ReadonlyMap<string, unknown> {
  const values = new Map<string, Written[]>();
  for (const { branch, written } of branches) {
    for (const [name, value] of written) values.set(name, [...(values.get(name) ?? []), { value, branch }]);
  }
  const join = ([name, written]: readonly [string, readonly Written[]]) =>
    [name, added(name, written, { reducer: reducers[name], before: before(name) })] as const;
  return new Map([...values].map(join));
}

function added(
  name: string,
  written: readonly Written[],
  { reducer, before }: { readonly reducer: Reducer | undefined; readonly before: unknown },
): unknown {
  const [first, ...others] = written;
  if (first === undefined || others.length === 0) return first?.value;
  if (reducer === 'sum') {
    const from = numberOf(before ?? 0);
    return written.reduce((sum, { value }) => sum + numberOf(value) - from, from);
  }
  if (reducer === 'append') {
    const list = listOf(before ?? []);
    return [...list, ...written.flatMap(({ value }) => addedTo(list, listOf(value)))];
  }
  return others.reduce((one, other) => joinedPair(name, [one, other], reducer), first).value;
}

/** Items that a list has more than the original one. */
function addedTo(before: readonly unknown[], list: readonly unknown[]): readonly unknown[] {
  return isDeepStrictEqual(list.slice(0, before.length), before) ? list.slice(before.length) : list;
}

interface Written {
  readonly value: unknown;
  readonly branch: string;
}

function joinedPair(name: string, [one, other]: readonly [Written, Written], reducer: Reducer | undefined): Written {
  if (isDeepStrictEqual(one.value, other.value)) return one;
  if (reducer === undefined) throw conflict(name, one, other);
  return { ...other, value: reduced(reducer, one.value, other.value) };
}

function conflict(name: string, one: Written, other: Written): SkillFailure {
  return new SkillFailure(
    `The branches "${one.branch}" and "${other.branch}" have different values for "${name}": ${shown(one.value)} and ` +
      `${shown(other.value)}. Declare a reducer for "${name}".`,
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 'nothing' : text.slice(0, SHOWN);
}

function reduced(reducer: Reducer, one: unknown, other: unknown): unknown {
  if (typeof reducer === 'function') return reducer(one, other);
  switch (reducer) {
    case 'append':
      return [listOf(one), listOf(other)].flat();
    case 'union':
      return union(listOf(one), listOf(other));
    case 'sum':
      return numberOf(one) + numberOf(other);
    case 'max':
      return Math.max(numberOf(one), numberOf(other));
    case 'deepMerge':
      return deepMerged(one, other);
    case 'first':
      return one;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function union(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  return [...one, ...other.filter((value) => !one.some((known) => isDeepStrictEqual(known, value)))];
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw new SkillFailure(`${shown(value)} is no number: it cannot be added or compared`);
  return value;
}

function deepMerged(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [one, other].flat();
  if (!isRecord(one) || !isRecord(other)) return other;
  const both = Object.keys(other).filter((name) => Object.hasOwn(one, name));
  return { ...one, ...other, ...Object.fromEntries(both.map((name) => [name, deepMerged(one[name], other[name])])) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
