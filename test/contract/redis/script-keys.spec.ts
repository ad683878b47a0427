import { describe, expect, it } from '@jest/globals';
import { undeclaredKeys } from '../../kit/lua/key-origins.js';
import { inputOrder } from '../../../src/platform/redis/script/script-input.js';
import { scriptText } from '../../../src/platform/redis/script/script-text.js';
import { namesDeclared, namesInHeader } from '../../kit/lua/script-header.js';
import { luaFiles, luaSource, SCRIPTS, withoutComments } from '../../kit/lua/script-source.js';

const NUMBERED = /\b(?:KEYS|ARGV)\[#?\w*(?:\d|KEYS|ARGV)/;

describe('the Lua scripts of src', () => {
  it.each([...SCRIPTS.keys()])('%s touches no key that it does not declare (D14, I6)', (file) => {
    expect(undeclaredKeys(withoutComments(SCRIPTS.get(file)?.text ?? ''))).toEqual([]);
  });

  it.each([...SCRIPTS])('%s lists its input in its header as it is declared, and its output', (file, { order }) => {
    expect(namesInHeader(luaSource(file))).toEqual(namesDeclared(order));
    expect(luaSource(file)).toContain('\n-- Output\n');
  });

  it.each([...SCRIPTS])('%s uses all of its input', (_file, { text, order }) => {
    const used = withoutComments(text);
    const names = namesDeclared(order).filter((name) => !name.includes('…') && !name.startsWith('has_'));
    const isUsed = (name: string): boolean => used.split(new RegExp(`\\b${name.trim()}\\b`)).length > 2;
    expect(names.filter((name) => !isUsed(name))).toEqual([]);
  });

  it.each(luaFiles())('%s reads no key and no argument by its number', (file) => {
    expect(withoutComments(luaSource(file))).not.toMatch(NUMBERED);
  });

  it('have a library once, however many of their libraries include it', () => {
    const text = SCRIPTS.get('tasks/lua/commit/commit.lua')?.text ?? '';
    expect(text.split('local function read_word(')).toHaveLength(2);
  });

  it('are refused where they name a field that is none', () => {
    const file = new URL('../../../src/tasks/lua/tree/mirror.lua', import.meta.url);
    expect(() => scriptText(file, inputOrder({}))).toThrow('mirror.lua names the field word, which is none');
  });

  it('are all declared', () => {
    const scripts = luaFiles().filter((file) => !file.includes('/lua/lib/'));
    expect([...SCRIPTS.keys()].sort()).toEqual(scripts);
  });
});

describe(undeclaredKeys, () => {
  it.each([
    ['a name that is built', "redis.call('GET', task_key .. ':more')", "GET task_key .. ':more'"],
    ['an argument', "redis.call('GET', ARGV[1])", 'GET ARGV[1]'],
    ['a variable that is built', "local other_key = 'a:' .. id", "other_key = 'a:' .. id"],
    ['one of two variables', 'local a_key, b_key = task_key, id', 'b_key = id'],
    ['an assigned field', "t.key, t.id = task_key .. 'x', 1", "t.key = task_key .. 'x'"],
    ['a field of a table', 'local of = { push_key = id }', 'push_key = id'],
    ['one key of a loop', "for n, key in ipairs({ task_key, id }) do redis.call('DEL', key) end", 'key in id'],
    ['a later key', "redis.call('DEL', task_key, id)", 'DEL id'],
    ['a key of a choice', "redis.call('GET', is_new and task_key or id)", 'GET is_new and task_key or id'],
    [
      'what a function is given',
      "local function note(task_key, line)\n  redis.call('RPUSH', task_key, line)\nend\nnote(id, 'l')",
      'note: task_key = id',
    ],
    ['what a function gives', 'local function list_key(id)\n  return id\nend', 'list_key returns id'],
  ])('finds %s', (_what, source, found) => {
    expect(undeclaredKeys(source)).toEqual([found]);
  });

  it('takes declared keys on every way that our scripts use', () => {
    const source = [
      "local function add(queue_key, line) redis.call('ZADD', queue_key, 1, line) end",
      "add(is_limited == '1' and limited_queue_key or queue_key, id)",
      "for at = tasks_from, tasks_to do redis.call('HGET', KEYS[at], 'e' .. at) end",
      "redis.call('DEL', task_key, unpack(KEYS, parts_from))",
      "redis.call('PUBLISH', hints, redis.call('TIME')[1])",
    ].join('\n');
    expect(undeclaredKeys(source)).toEqual([]);
  });
});
