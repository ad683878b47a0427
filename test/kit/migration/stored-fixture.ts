import { readFile } from 'node:fs/promises';
import type { Redis } from 'ioredis';
import type { Answers, FixtureTask } from './interview.js';

/** Stands for the key prefix in the fixture. */
export const FIXTURE_PREFIX = 'schema2fixture';

/** A key as the fixture has it: hashes, sorted sets and streams as flat lists. TTL in ms, 0 for none. */
export type StoredKey = readonly [name: string, type: string, ttlMs: number, value: string | readonly string[]];

/** All that a service of schema 2 had stored at one moment. */
export interface StoredFixture {
  /** Ms since 1970, by the clock of its Redis. */
  readonly savedAt: number;
  readonly tasks: readonly FixtureTask[];
  readonly keys: readonly StoredKey[];
}

const FOLDER = new URL('../../fixtures/schema-2/', import.meta.url);

export async function readFixture(): Promise<StoredFixture> {
  return JSON.parse(await readFile(new URL('store.json', FOLDER), 'utf8')) as StoredFixture;
}

/** The answers of the service that wrote the fixture. */
export async function readAnswers(): Promise<Answers> {
  return JSON.parse(await readFile(new URL('answers.json', FOLDER), 'utf8')) as Answers;
}

/** Reads all keys of a Redis. */
export async function dumpKeys(redis: Redis): Promise<readonly StoredKey[]> {
  const names = (await redis.keys('*')).sort();
  return Promise.all(
    names.map(async (name): Promise<StoredKey> => {
      const [type, ttl] = await Promise.all([redis.type(name), redis.pttl(name)]);
      return [name, type, Math.max(0, ttl), await valueOf(redis, name, type)];
    }),
  );
}

/** Writes the keys of a fixture under another prefix, as if they had been saved then: what was due in a minute is due in a minute from there. */
export async function loadFixture(
  redis: Redis,
  fixture: StoredFixture,
  keyPrefix: string,
  savedAt = Date.now(),
): Promise<void> {
  const shift = savedAt - fixture.savedAt;
  const work = redis.pipeline();
  for (const key of renamed(fixture.keys, keyPrefix)) {
    for (const command of commandsOf(shifted(key, shift))) work.call(...command);
  }
  const failed = (await work.exec())?.find(([error]) => error !== null);
  if (failed?.[0]) throw failed[0];
}

/** The commands that write a key. */
export function commandsOf([name, type, ttlMs, value]: StoredKey): readonly [string, ...string[]][] {
  const expire: [string, ...string[]][] = ttlMs === 0 ? [] : [['PEXPIRE', name, String(ttlMs)]];
  return [...writesOf(name, type, value), ...expire];
}

function writesOf(name: string, type: string, value: string | readonly string[]): [string, ...string[]][] {
  if (typeof value === 'string') return [['SET', name, value]];
  switch (type) {
    case 'hash':
      return [['HSET', name, ...value]];
    case 'list':
      return [['RPUSH', name, ...value]];
    case 'zset':
      return [['ZADD', name, ...pairs(value).flatMap(([member, score]) => [score, member])]];
    case 'stream':
      return pairs(value).map(([id, fields]) => ['XADD', name, id, ...(JSON.parse(fields) as string[])]);
    default:
      return [['SADD', name, ...value]];
  }
}

async function valueOf(redis: Redis, name: string, type: string): Promise<string | readonly string[]> {
  switch (type) {
    case 'string':
      return (await redis.get(name)) ?? '';
    case 'hash':
      return Object.entries(await redis.hgetall(name)).flat();
    case 'list':
      return redis.lrange(name, 0, -1);
    case 'zset':
      return redis.zrange(name, '0', '-1', 'WITHSCORES');
    case 'stream':
      return (await redis.xrange(name, '-', '+')).flatMap(([id, fields]) => [id, JSON.stringify(fields)]);
    default:
      return redis.smembers(name);
  }
}

export function renamed(keys: readonly StoredKey[], keyPrefix: string): readonly StoredKey[] {
  return JSON.parse(JSON.stringify(keys).replaceAll(FIXTURE_PREFIX, keyPrefix)) as StoredKey[];
}

const TIMED_SETS = /:(?:due|pushes|dead:at|live:[\w-]+|waiting)$/;
const TIMED_FIELDS = /^(?:lease|vacant|cancel|(?:after|until|since):.*)$/;
const TIMED_FIELDS_OF_ENDPOINTS = /^(?:from|open|failing)$/;

/** Moves the times by which something happens; what has happened keeps its time. */
export function shifted([name, type, ttlMs, value]: StoredKey, ms: number): StoredKey {
  if (typeof value === 'string') return [name, type, ttlMs, value];
  const later = (text: string): string => (Number(text) > 1e12 ? String(Number(text) + ms) : text);
  const isTimed = (field: string): boolean => {
    if (type === 'zset') return TIMED_SETS.test(name);
    if (type !== 'hash') return false;
    return (name.includes(':endpoint') ? TIMED_FIELDS_OF_ENDPOINTS : TIMED_FIELDS).test(field);
  };
  const moved = pairs(value).flatMap(([field, text]) => [field, isTimed(field) ? later(text) : text]);
  return [name, type, ttlMs, type === 'zset' || type === 'hash' ? moved : value];
}

function pairs(flat: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: flat.length / 2 }, (_unused, at) => [flat[2 * at] ?? '', flat[2 * at + 1] ?? '']);
}
