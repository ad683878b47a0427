import type { LiveCall } from './live-calls.js';
import { kindOf, positionsOf, replaced } from './wrong-kinds.js';

const deep = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => [{ a: inner }], null);
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, -1e308, '', 'text', '7', '\0', '\ud800', 'x'.repeat(70_000)],
  ...[[], [[]], [{}], [null], [7], ['x'], {}, { length: 1 }, { 0: {} }, { constructor: { prototype: {} } }],
  ...[deep(20), deep(45), Array.from({ length: 1_001 }, () => 'x'), Array.from({ length: 1_001 }, () => ({}))],
  Object.fromEntries(Array.from({ length: 1_001 }, (_one, at) => [`m${String(at)}`, at])),
];
const TEXTS = [
  '',
  ' ',
  'x',
  '-1',
  '1e400',
  '1.5',
  'null',
  '[]',
  '{}',
  '\0',
  '\u{202e}',
  '%',
  'true',
  'x'.repeat(9_000),
];

/** A call with one member or parameter changed. */
export interface Changed {
  readonly call: LiveCall;
  /** What was changed: the names on the way to a member, or the name of a query parameter. */
  readonly names: readonly string[];
  readonly shown: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Every way to change a call in one member or parameter. */
export function changesOf(call: LiveCall): readonly Changed[] {
  const members = positionsOf(call.body ?? {}, '', () => false).flatMap(({ path, keys, value }) =>
    [...VALUES, [value], [[value]]]
      .filter((other) => kindOf(other) !== kindOf(value) || other !== value)
      .map((other): Changed => {
        const names = keys.filter((key) => typeof key === 'string');
        const shown = `${path} = ${JSON.stringify(other).slice(0, 100)}`;
        return { call, names, shown, path: call.path, body: replaced(call.body, keys, other) };
      }),
  );
  const query = call.query ?? {};
  const parameters = Object.keys(query).flatMap((name) => {
    const others: readonly (readonly (readonly [string, string])[])[] = [
      ...TEXTS.map((text) => [[name, text] as const]),
      ...[['a', 'b'] as const, ['', ''] as const].map((two) => two.map((text) => [name, text] as const)),
      ...['[]', '[a]', '.a'].map((ending) => [[name + ending, 'x'] as const]),
    ];
    return others.map((pairs): Changed => {
      const left = Object.entries(query).filter(([own]) => own !== name);
      const text = [...left, ...pairs].map((pair) => pair.map((one) => encodeURIComponent(one)).join('=')).join('&');
      const path = `${call.path}?${text}`;
      return { call, names: [name], shown: path.slice(0, 200), path };
    });
  });
  return [...members, ...parameters];
}
