import { SECRETS, type Variables } from './secret-files.js';

/** A variable that the service does not read, with the one that was probably meant. */
export interface UnknownVariable {
  readonly name: string;
  /** Absent where only the prefix matches. */
  readonly meant?: string;
  /** For a variable of an earlier version: the reason why it is gone. */
  readonly gone?: string;
}

/** Variables of earlier versions, and the reasons why they are gone. */
const GONE: Readonly<Record<string, string>> = {
  KEEP_MESSAGE_IDS_SECONDS: 'message ids are known as long as their task',
};

/** Prefixes of our variables only. Kubernetes creates some for each service: `REDIS_PORT` is not ours. */
const OWN_PREFIX = /^(JWT|RATE|QUOTA|KEEP|REDIS_WAIT)_/;
/** OpenTelemetry's SDK reads more of these than the service. */
const FOREIGN_PREFIX = /^(OTEL|NODE|npm)_/;
const MAX_EDITS = 2;
/** One edit per this many letters: HOME is not HOST with two mistakes. */
const LETTERS_PER_EDIT = 4;

/** Variables that resemble misspelled ones of ours. @param read variables of the service and its skills */
export function unknownVariables(
  variables: Variables = process.env,
  read: readonly string[],
): readonly UnknownVariable[] {
  const known = [...read, ...SECRETS.map((name) => `${name}_FILE`)];
  const given = Object.keys(variables).filter((name) => !known.includes(name) && !FOREIGN_PREFIX.test(name));
  return given.flatMap((name) => {
    const gone = Object.hasOwn(GONE, name) ? GONE[name] : undefined;
    if (gone !== undefined) return [{ name, gone }];
    const meant = nearest(name, known);
    if (meant !== undefined) return [{ name, meant }];
    return OWN_PREFIX.test(name) ? [{ name }] : [];
  });
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const most = Math.min(MAX_EDITS, Math.floor(name.length / LETTERS_PER_EDIT));
  const near = known.map((other) => ({ other, edits: editsBetween(name, other) })).filter(({ edits }) => edits <= most);
  return near.sort((one, two) => one.edits - two.edits)[0]?.other;
}

/** Minimum number of letters to insert, remove or replace, or of neighbours to swap. */
function editsBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MAX_EDITS) return Infinity;
  const at = (row: readonly number[] | undefined, column: number): number => row?.[column] ?? Infinity;
  let before: readonly number[] | undefined;
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_unused, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const row = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[line - 1] === to[column - 1];
      const isSwapped = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      const replaced = at(above, column - 1) + (isSame ? 0 : 1);
      const swapped = isSwapped ? at(before, column - 2) + 1 : Infinity;
      row.push(Math.min(at(above, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
    before = above;
    above = row;
  }
  return at(above, to.length);
}
