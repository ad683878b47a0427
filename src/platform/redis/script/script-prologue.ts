import type { GroupOrder, InputOrder, ListOrder } from './script-input.js';

/**
 * The lines at the top of a script that make its keys and arguments locals. Computes offsets like `scriptCall`, with
 * constants before the first group or list.
 */
export function scriptPrologue(order: InputOrder): string {
  const lines = ['local KEYS, ARGV = KEYS, ARGV'];
  const { keys, args, groups, keyLists, argLists } = order;
  lines.push(...assigned(keys.map(keyName), (at) => `KEYS[${String(at + 1)}]`));
  lines.push(...assigned(args.map(luaName), (at) => `ARGV[${String(at + 1)}]`));
  let argsRead = args.length;
  const counts = new Map<ListOrder, string>();
  for (const { name } of groups) {
    argsRead += 1;
    lines.push(`local has_${luaName(name)} = ARGV[${String(argsRead)}] == '1'`);
  }
  for (const list of [...keyLists.slice(0, -1), ...argLists.slice(0, -1)]) {
    argsRead += 1;
    counts.set(list, `ARGV[${String(argsRead)}]`);
  }
  if (groups.length === 0) {
    lines.push(...bounds(keyLists, counts, { first: String(keys.length + 1), table: 'KEYS' }));
    lines.push(...bounds(argLists, counts, { first: String(argsRead + 1), table: 'ARGV' }));
    return `${lines.join('\n')}\n`;
  }
  lines.push(`local keys_read, args_read = ${String(keys.length)}, ${String(argsRead)}`);
  for (const group of groups) lines.push(...groupLines(group));
  lines.push(...bounds(keyLists, counts, { first: 'keys_read + 1', table: 'KEYS' }));
  lines.push(...bounds(argLists, counts, { first: 'args_read + 1', table: 'ARGV' }));
  return `${lines.join('\n')}\n`;
}

/** The locals of a row of a list whose first item is at an index. */
export function rowLine({ keyLists, argLists }: InputOrder, name: string, at: string): string {
  const isOfKeys = keyLists.some((list) => luaName(list.name) === name);
  const list = [...keyLists, ...argLists].find((one) => luaName(one.name) === name);
  if (list === undefined) throw new Error(`No list ${name} is declared`);
  const table = isOfKeys ? 'KEYS' : 'ARGV';
  const columns = list.columns.map(isOfKeys ? keyName : luaName);
  const values = columns.map((_column, column) => `${table}[${at} + ${String(column)}]`);
  if (list.spread !== '') {
    const spread = luaName(list.spread);
    columns.push(`${spread}_from`, `${spread}_to`);
    const length = `${at} + ${String(list.columns.length)}`;
    values.push(`${length} + 1`, `${length} + ${table}[${length}]`);
  }
  return `local ${columns.join(', ')} = ${values.join(', ')}`;
}

function groupLines({ name, keys, args }: GroupOrder): readonly string[] {
  const names = [...keys.map(keyName), ...args.map(luaName)];
  const values = [
    ...keys.map((_key, at) => `KEYS[keys_read + ${String(at + 1)}]`),
    ...args.map((_arg, at) => `ARGV[args_read + ${String(at + 1)}]`),
  ];
  return [
    `local ${names.join(', ')}`,
    `if has_${luaName(name)} then`,
    `  ${names.join(', ')} = ${values.join(', ')}`,
    `  keys_read, args_read = keys_read + ${String(keys.length)}, args_read + ${String(args.length)}`,
    'end',
  ];
}

function bounds(
  lists: readonly ListOrder[],
  counts: ReadonlyMap<ListOrder, string>,
  { first, table }: { readonly first: string; readonly table: 'KEYS' | 'ARGV' },
): readonly string[] {
  let from = first;
  return lists.flatMap((list) => {
    const name = luaName(list.name);
    const count = counts.get(list);
    const width = list.columns.length + (list.spread === '' ? 0 : NaN);
    const lines = [
      `local ${name}_from = ${from}`,
      `local ${name}_to = ${count === undefined ? `#${table}` : `${name}_from - 1 + ${count}`}`,
      ...(width > 1 ? [`local ${name}_step = ${String(width)}`] : []),
    ];
    from = `${name}_to + 1`;
    return lines;
  });
}

function assigned(names: readonly string[], value: (at: number) => string): readonly string[] {
  if (names.length === 0) return [];
  return [`local ${names.join(', ')} = ${names.map((_name, at) => value(at)).join(', ')}`];
}

export function keyName(name: string): string {
  return `${luaName(name)}_key`;
}

export function luaName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
