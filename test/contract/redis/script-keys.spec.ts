import { describe, expect, it } from '@jest/globals';
import { undeclaredKeys } from '../../kit/lua/key-origins.js';
import { scriptNames, scriptSource } from '../../kit/lua/script-source.js';

describe('the Lua scripts of src', () => {
  it.each(scriptNames())('%s touches no key that it does not declare (D14, I6)', (name) => {
    expect(undeclaredKeys(scriptSource(name))).toEqual([]);
  });

  it('are found', () => {
    expect(scriptNames().length).toBeGreaterThan(30);
    expect(scriptNames()).toEqual(expect.arrayContaining(['push/lua/take.lua', 'task/lua/commit.lua']));
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
