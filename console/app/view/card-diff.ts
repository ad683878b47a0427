/** A difference of two cards, by its path. */
export interface CardChange {
  /** `skills[echo].description` */
  readonly path: string;
  /** JSON; absent where it was not there. */
  readonly before?: string;
  /** JSON; absent where it is gone. */
  readonly now?: string;
}

/** Changes that are shown, and characters of each side. */
const MOST = 200;
const MAX_TEXT = 500;

/** Differences of two cards, at most 200. Skills are compared by their ids, interfaces by their URLs. */
export function cardDiff(before: unknown, now: unknown): readonly CardChange[] {
  const changes: CardChange[] = [];
  compare({ path: '', before, now }, changes);
  return changes;
}

interface Pair {
  readonly path: string;
  readonly before: unknown;
  readonly now: unknown;
}

function compare({ path, before, now }: Pair, changes: CardChange[]): void {
  if (changes.length >= MOST) return;
  const [old, young] = [membersOf(before), membersOf(now)];
  if (old === undefined || young === undefined || Array.isArray(before) !== Array.isArray(now)) {
    const [was, is] = [textOf(before), textOf(now)];
    if (was === is) return;
    changes.push({ path, ...(was && { before: cut(was) }), ...(is && { now: cut(is) }) });
    return;
  }
  const isList = Array.isArray(now);
  for (const name of new Set([...old.keys(), ...young.keys()])) {
    const at = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    compare({ path: at, before: old.get(name), now: young.get(name) }, changes);
  }
}

/** Members of an object or a list by name; undefined for anything else. Of a list whose items have no names, by index. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    const areNamed = new Set(names).size === names.length && !names.includes(undefined);
    return new Map(value.map((one: unknown, at) => [areNamed ? (names[at] ?? '') : String(at), one]));
  }
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, uri, url, protocolBinding, protocolVersion } = value as Readonly<Record<string, unknown>>;
  if (typeof id === 'string') return id;
  if (typeof uri === 'string') return uri;
  return typeof url === 'string' ? [url, protocolBinding, protocolVersion].filter(Boolean).join(' ') : undefined;
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
