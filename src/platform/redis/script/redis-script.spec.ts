import { describe, expect, it } from '@jest/globals';
import { scriptCall } from './script-call.js';
import { type ArgsOf, inputOrder, type KeysOf } from './script-input.js';
import { rowLine, scriptPrologue } from './script-prologue.js';

const INPUT = {
  keys: 'task dueTasks',
  args: 'id maxEvents',
  groups: { hook: { keys: 'push', args: 'record' }, named: { keys: 'context' } },
  keyLists: { lists: '', pairs: 'task history' },
  argLists: { children: 'id bytes ...fields', fields: '' },
} as const;

const KEYS: KeysOf<typeof INPUT> = {
  ...{ task: 'T', dueTasks: 'D', lists: ['L1', 'L2'], pairs: [{ task: 'A', history: 'AH' }] },
};
const ARGS: ArgsOf<typeof INPUT> = {
  ...{ id: 'i', maxEvents: 5, fields: ['n', 'v'] },
  children: [
    { id: 'c', bytes: 7, fields: ['x', 1] },
    { id: 'd', bytes: 8, fields: [] },
  ],
};

describe('input of scripts by name', () => {
  it('is ordered by its declaration, with a flag for each group and the lengths of lists', () => {
    expect(scriptCall(inputOrder(INPUT), { keys: KEYS, args: ARGS })).toEqual({
      keys: ['T', 'D', 'L1', 'L2', 'A', 'AH'],
      args: ['i', 5, 0, 0, 2, 8, 'c', 7, 2, 'x', 1, 'd', 8, 0, 'n', 'v'],
    });
  });

  it('has its groups before its lists', () => {
    const keys = { ...KEYS, hook: { push: 'P' }, named: { context: 'C' } };
    expect(scriptCall(inputOrder(INPUT), { keys, args: { ...ARGS, hook: { record: 'r' } } })).toEqual({
      keys: ['T', 'D', 'P', 'C', 'L1', 'L2', 'A', 'AH'],
      args: ['i', 5, 1, 1, 2, 8, 'r', 'c', 7, 2, 'x', 1, 'd', 8, 0, 'n', 'v'],
    });
  });

  it('becomes locals at the top of the script', () => {
    expect(scriptPrologue(inputOrder(INPUT)).split('\n')).toEqual([
      'local KEYS, ARGV = KEYS, ARGV',
      'local task_key, due_tasks_key = KEYS[1], KEYS[2]',
      'local id, max_events = ARGV[1], ARGV[2]',
      "local has_hook = ARGV[3] == '1'",
      "local has_named = ARGV[4] == '1'",
      'local keys_read, args_read = 2, 6',
      'local push_key, record',
      'if has_hook then',
      '  push_key, record = KEYS[keys_read + 1], ARGV[args_read + 1]',
      '  keys_read, args_read = keys_read + 1, args_read + 1',
      'end',
      'local context_key',
      'if has_named then',
      '  context_key = KEYS[keys_read + 1]',
      '  keys_read, args_read = keys_read + 1, args_read + 0',
      'end',
      ...['local lists_from = keys_read + 1', 'local lists_to = lists_from - 1 + ARGV[5]'],
      ...['local pairs_from = lists_to + 1', 'local pairs_to = #KEYS', 'local pairs_step = 2'],
      ...['local children_from = args_read + 1', 'local children_to = children_from - 1 + ARGV[6]'],
      ...['local fields_from = children_to + 1', 'local fields_to = #ARGV', ''],
    ]);
  });

  it('has rows with locals for their columns, and the bounds of a list that ends them', () => {
    expect(rowLine(inputOrder(INPUT), 'pairs', 'at')).toBe('local task_key, history_key = KEYS[at + 0], KEYS[at + 1]');
    expect(rowLine(inputOrder(INPUT), 'children', 'at')).toBe(
      'local id, bytes, fields_from, fields_to = ARGV[at + 0], ARGV[at + 1], at + 2 + 1, at + 2 + ARGV[at + 2]',
    );
  });

  it('does not compile with a missing or misspelt name', () => {
    // @ts-expect-error: `dueTasks` is missing
    const missing: KeysOf<typeof INPUT> = { task: 'T', lists: [], pairs: [] };
    // @ts-expect-error: a row lacks `history`
    const short: KeysOf<typeof INPUT>['pairs'] = [{ task: 'A' }];
    // @ts-expect-error: the name of the group's argument is `record`
    const other: NonNullable<ArgsOf<typeof INPUT>['hook']> = { config: 'r' };
    expect([missing, short, other]).toHaveLength(3);
  });
});
