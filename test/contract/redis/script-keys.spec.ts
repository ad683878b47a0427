import { describe, expect, it } from '@jest/globals';
import { undeclaredKeys } from '../../kit/lua/key-origins.js';
import { namesDeclared, namesInHeader } from '../../kit/lua/script-header.js';
import { luaFiles, luaSource, positionalText, SCRIPTS, withoutComments } from '../../kit/lua/script-source.js';

/** Scripts whose input is not declared by name yet. */
const POSITIONAL = luaFiles().filter((file) => !file.includes('/lua/lib/') && !SCRIPTS.has(file));
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

  it.each([...SCRIPTS.keys()])('%s reads no key and no argument by its number', (file) => {
    expect(withoutComments(luaSource(file))).not.toMatch(NUMBERED);
  });

  it.each(POSITIONAL)('%s touches no key that it does not declare by its number', (file) => {
    expect(undeclaredKeys(withoutComments(positionalText(file)))).toEqual([]);
  });
});

describe(undeclaredKeys, () => {
  it.each([
    ['a name that is built', "redis.call('GET', KEYS[1] .. ':more')", "GET KEYS[1] .. ':more'"],
    ['an argument', "redis.call('GET', ARGV[1])", 'GET ARGV[1]'],
    ['a variable that is built', "local key = 'a:' .. ARGV[1]\nredis.call('GET', key)", 'GET key'],
    ['one of two variables', "local a, b = KEYS[1], ARGV[1]\nredis.call('SET', b, a)", 'SET b'],
    [
      'what a function is given',
      "local function note(task, line)\nredis.call('RPUSH', task, line)\nend\nnote(KEYS[1] .. ':x', 'l')",
      'RPUSH task',
    ],
    ['a field of a table', "local of = { push = ARGV[1] }\nredis.call('HSET', of.push, 'a', 1)", 'HSET of.push'],
    [
      'an assigned field',
      "local t = {}\nt.key, t.id = KEYS[1] .. 'x', 1\nredis.call('HSET', t.key, 'a', 1)",
      'HSET t.key',
    ],
    ['one key of a loop', "for n, key in ipairs({ KEYS[1], ARGV[1] }) do redis.call('DEL', key) end", 'DEL key'],
    ['a later key', "redis.call('DEL', KEYS[1], ARGV[1])", 'DEL ARGV[1]'],
    [
      'a key of a choice',
      "redis.call('GET', ARGV[1] == '1' and KEYS[1] or ARGV[2])",
      "GET ARGV[1] == '1' and KEYS[1] or ARGV[2]",
    ],
  ])('finds %s', (_what, source, found) => {
    expect(undeclaredKeys(source)).toEqual([found]);
  });

  it('takes declared keys on every way that our scripts use', () => {
    const source = [
      "local function add(of, line) redis.call('ZADD', of.queue, 1, line) end",
      "add({ queue = KEYS[ARGV[1] == '1' and 4 or 3] }, ARGV[2])",
      "for n, key in ipairs(KEYS) do redis.call('HGET', key, 'e' .. n) end",
      "redis.call('DEL', KEYS[1], unpack(KEYS, 16))",
      "redis.call('PUBLISH', ARGV[1], redis.call('TIME')[1])",
    ].join('\n');
    expect(undeclaredKeys(source)).toEqual([]);
  });
});
