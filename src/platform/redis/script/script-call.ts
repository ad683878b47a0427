import type { InputOrder, ListOrder, ScriptArgument } from './script-input.js';

type Values = Readonly<Record<string, unknown>>;

/** KEYS and ARGV of a script. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly ScriptArgument[];
}

/**
 * Orders the keys and arguments of a call as `script-prologue.ts` reads them: KEYS are the named ones, those of groups,
 * and lists; ARGV likewise, with '1' or '0' per group before the groups, and the lengths of all lists but the last.
 */
export function scriptCall(order: InputOrder, named: { readonly keys: Values; readonly args: Values }): ScriptCall {
  const keys: unknown[] = [];
  const args: unknown[] = [];
  for (const name of order.keys) keys.push(named.keys[name]);
  for (const name of order.args) args.push(named.args[name]);
  if (order.groups.length > 0) args.push(...order.groups.map(({ name }) => (isPresent(named, name) ? 1 : 0)));
  const keyLists = order.keyLists.map((list) => itemsOf(list, named.keys[list.name]));
  const argLists = order.argLists.map((list) => itemsOf(list, named.args[list.name]));
  for (const list of [...keyLists.slice(0, -1), ...argLists.slice(0, -1)]) args.push(list.length);
  for (const group of order.groups) {
    if (!isPresent(named, group.name)) continue;
    for (const name of group.keys) keys.push((named.keys[group.name] as Values)[name]);
    for (const name of group.args) args.push((named.args[group.name] as Values)[name]);
  }
  for (const list of keyLists) for (const key of list) keys.push(key);
  for (const list of argLists) for (const arg of list) args.push(arg);
  return { keys: keys as string[], args: args as ScriptArgument[] };
}

function isPresent({ keys, args }: { readonly keys: Values; readonly args: Values }, group: string): boolean {
  return keys[group] !== undefined || args[group] !== undefined;
}

function itemsOf({ columns, spread }: ListOrder, list: unknown): readonly unknown[] {
  if (columns.length === 0) return list as readonly unknown[];
  const items: unknown[] = [];
  for (const row of list as readonly Values[]) {
    for (const column of columns) items.push(row[column]);
    if (spread === '') continue;
    const last = row[spread] as readonly unknown[];
    items.push(last.length, ...last);
  }
  return items;
}
