import { describe, expect, it } from '@jest/globals';
import { parseRedisAddress, withoutCredentials } from './redis-address.js';

const TWO = [
  { host: 'a', port: 1 },
  { host: 'b', port: 2 },
];

describe(parseRedisAddress.name, () => {
  it.each(['redis://localhost', 'redis://:secret@10.0.0.1:6380/2', 'rediss://user:p%40ss@redis.example:6379'])(
    'leaves one server to the client: %s',
    (url) => {
      expect(parseRedisAddress(url)).toEqual({ kind: 'single', url });
    },
  );

  it('reads Sentinels, their group and database, and who asks them', () => {
    expect(parseRedisAddress('redis-sentinel://user:p%40ss@a:1,b:2/main/3?sentinelPassword=s%20p')).toEqual({
      ...{ kind: 'sentinel', tls: false, nodes: TWO, group: 'main', db: 3 },
      ...{ username: 'user', password: 'p@ss', sentinelPassword: 's p' },
    });
  });

  it('takes the usual port and group where none is named', () => {
    expect(parseRedisAddress('redis-sentinel://a')).toMatchObject({
      nodes: [{ host: 'a', port: 26_379 }],
      group: 'mymaster',
    });
    expect(parseRedisAddress('redis-cluster://[::1],a')).toMatchObject({
      nodes: [
        { host: '::1', port: 6379 },
        { host: 'a', port: 6379 },
      ],
    });
  });

  it('reads a Cluster, with a password and no user', () => {
    const expected = { kind: 'cluster', tls: false, nodes: TWO, password: 'secret' };
    expect(parseRedisAddress('redis-cluster://:secret@a:1,b:2')).toEqual(expected);
  });

  it.each([
    ['rediss-cluster://a:1,b:2', { kind: 'cluster', tls: true }],
    ['redis+cluster://a:1,b:2', { kind: 'cluster', tls: false }],
    ['rediss+sentinel://a:1,b:2/main', { kind: 'sentinel', tls: true }],
  ])('knows the other spellings: %s', (text, expected) => {
    expect(parseRedisAddress(text)).toMatchObject({ ...expected, nodes: TWO });
  });

  it.each([
    ['http://a', 'must begin with'],
    ['redis://', 'must have the form'],
    ['redis://a,b', 'names several servers'],
    ['redis://a/main', 'number of a database'],
    ['redis-cluster://', 'must list its nodes'],
    ['redis-cluster://a:1,', 'has a node 2, which is not host:port'],
    ['redis-cluster://a:99999', 'has a node 1, which is not host:port'],
    ['redis-cluster://a:1/0', 'may not have a path'],
    ['redis-cluster://a:1?tls=true', 'has a parameter that means nothing here'],
    ['redis-sentinel://a:1/main/x', 'must end in the name of the group'],
    ['redis-sentinel://u:%@a:1', 'write %25'],
  ])('says what is wrong with %s', (text, reason) => {
    expect(() => parseRedisAddress(text)).toThrow(reason);
  });

  it.each(['redis-cluster://:ab/secret@a', 'redis-cluster://:ab?secret@a', 'redis-sentinel://u:secret/x@a:1'])(
    'repeats nothing of a password that is not encoded: %s',
    (text) => {
      expect(() => parseRedisAddress(text)).toThrow(/^(?!.*secret)/);
    },
  );
});

describe(withoutCredentials.name, () => {
  it('hides users, passwords and those of Sentinels', () => {
    expect(withoutCredentials('redis-sentinel://u:p@a:1,b:2/main?sentinelPassword=x')).toBe(
      'redis-sentinel://a:1,b:2/main',
    );
  });

  it('hides a password that holds what should have been encoded', () => {
    expect(withoutCredentials('redis://u:p@ss@a:1')).toBe('redis://a:1');
  });
});
