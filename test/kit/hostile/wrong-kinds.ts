/** A document in which one member has a value of another kind. */
export interface WrongKind {
  /** `message.parts[0]` */
  readonly path: string;
  readonly original: unknown;
  readonly value: unknown;
  readonly document: unknown;
}

const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  7,
  'text',
  [],
  [[]],
  [{}],
  [null],
  [7],
  {},
  { length: 1 },
  { 0: {} },
];

/**
 * Every way to put a value of another kind at a position of a document: null, primitives, arrays, arrays of arrays, objects, and the
 * value itself in an array or taken out of one.
 * @param isFree positions that take anything
 */
export function wrongKinds(document: unknown, isFree: (path: string) => boolean): readonly WrongKind[] {
  return positionsOf(document, '', isFree).flatMap(({ path, keys, value }) =>
    replacementsOf(value).map((other) => ({
      path,
      original: value,
      value: other,
      document: replaced(document, keys, other),
    })),
  );
}

/** `null`, `array`, `integer` … */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export interface Position {
  readonly path: string;
  readonly keys: readonly (string | number)[];
  readonly value: unknown;
}

/** Every position of a document but the outermost. */
export function positionsOf(
  value: unknown,
  path: string,
  isFree: (path: string) => boolean,
  keys: Position['keys'] = [],
): readonly Position[] {
  if (isFree(path)) return [];
  const own = keys.length === 0 ? [] : [{ path, keys, value }];
  if (typeof value !== 'object' || value === null) return own;
  const members = Array.isArray(value)
    ? value.map((one: unknown, at) => [at, `${path}[${String(at)}]`, one] as const)
    : Object.entries(value).map(
        ([name, one]) => [name, path === '' ? name : `${path}.${name}`, one as unknown] as const,
      );
  return [...own, ...members.flatMap(([key, at, one]) => positionsOf(one, at, isFree, [...keys, key]))];
}

function replacementsOf(value: unknown): readonly unknown[] {
  const wrapped = Array.isArray(value)
    ? value.slice(0, 1).flatMap((one: unknown) => [one, [[one]]])
    : [[value], [[value]]];
  return [...REPLACEMENTS, ...wrapped].filter((other) => kindOf(other) !== kindOf(value) || isOtherList(value, other));
}

/** A list whose entries are of another kind. */
function isOtherList(value: unknown, other: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(other) || other.length === 0) return false;
  return value.length > 0 && kindOf(value[0]) !== kindOf(other[0]);
}

/** The document with another value at a position; the same document where it has no such position. */
export function replaced(document: unknown, [key, ...rest]: Position['keys'], other: unknown): unknown {
  if (key === undefined) return other;
  if (typeof document !== 'object' || document === null) return document;
  const inner = replaced(Reflect.get(document, key), rest, other);
  if (Array.isArray(document)) return document.map((one: unknown, at) => (at === key ? inner : one));
  return { ...document, [key]: inner };
}
