import { keyName, luaName } from '../../../src/platform/redis/script/script-prologue.js';
import type { InputOrder, ListOrder } from '../../../src/platform/redis/script/script-input.js';

/** The names that the header of a script lists under `Input`; members of groups and columns of rows are indented there. */
export function namesInHeader(source: string): readonly string[] {
  const [, after = ''] = source.split('\n-- Input\n');
  const [list = ''] = after.split(/^-- Output$|^(?!--)/m);
  return [...list.matchAll(/^-- {3}((?: {2})?[a-z_]+(?: …)?)(?= {2}|$)/gm)].map(([, name = '']) => name);
}

/** The same of its declaration. */
export function namesDeclared({ keys, args, groups, keyLists, argLists }: InputOrder): readonly string[] {
  return [
    ...keys.map(keyName),
    ...keyLists.flatMap((list) => namesOfList(list, keyName)),
    ...args.map(luaName),
    ...argLists.flatMap((list) => namesOfList(list, luaName)),
    ...groups.flatMap((group) => [
      `has_${luaName(group.name)}`,
      ...group.keys.map((name) => `  ${keyName(name)}`),
      ...group.args.map((name) => `  ${luaName(name)}`),
    ]),
  ];
}

function namesOfList({ name, columns, spread }: ListOrder, named: (name: string) => string): readonly string[] {
  return [
    `${luaName(name)} …`,
    ...columns.map((column) => `  ${named(column)}`),
    ...(spread === '' ? [] : [`  ${luaName(spread)} …`]),
  ];
}
