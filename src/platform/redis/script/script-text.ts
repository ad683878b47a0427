import { readFileSync } from 'node:fs';
import type { InputOrder } from './script-input.js';
import { luaName, rowLine, scriptPrologue } from './script-prologue.js';

const INCLUDE = /^-- @include (\S+)$/gm;
const ROW = /^( *)-- @row (\w+) (.+)$/gm;
const FIELD = /\bfield\.(\w+)/g;

/**
 * Stored names of the fields of a hash, by the names that sources use: `hasChildren` here is `field.has_children` in
 * Lua.
 */
export type FieldNames = Readonly<Record<string, string>>;

/**
 * Compiles a script: keys and arguments become locals, `-- @include name.lua` that file at its first mention, `-- @row
 * list at` the locals of a row, and `field.name` the stored name of that field.
 */
export function scriptText(file: URL, order: InputOrder, fields: FieldNames = {}): string {
  const names = new Map(Object.entries(fields).map(([name, short]) => [luaName(name), short]));
  const text = withIncluded(file, new Set())
    .replace(ROW, (_line, indent: string, list: string, at: string) => indent + rowLine(order, list, at))
    .replace(FIELD, (_text, name: string) => stored(names, name, file));
  return scriptPrologue(order) + text;
}

function stored(names: ReadonlyMap<string, string>, name: string, file: URL): string {
  const short = names.get(name);
  if (short === undefined) throw new Error(`${file.pathname} names the field ${name}, which is none`);
  return `'${short}'`;
}

function withIncluded(file: URL, included: Set<string>): string {
  return readFileSync(file, 'utf8').replace(INCLUDE, (_line, name: string) => {
    const library = new URL(name, file);
    if (included.has(library.href)) return '';
    included.add(library.href);
    return withIncluded(library, included);
  });
}
