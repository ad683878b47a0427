import { Redis } from 'ioredis';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Message } from '@parley/protocol/model/message.js';

/** A task as it lies in Redis, read key by key and without the service's own code. */
export interface StoredTask {
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly events: readonly { readonly seq: number; readonly event: StreamResponse }[];
  readonly history: readonly Message[];
  /** Its latest runs, in order: '<turn> <attempt> <process> <start> <end> <how it ended>'. */
  readonly runs: readonly string[];
}

const AT_ONCE = 200;

export async function readStoredTasks(url: string, keyPrefix: string): Promise<readonly StoredTask[]> {
  const redis = new Redis(url);
  try {
    const keys = await taskKeys(redis, keyPrefix);
    const tasks: StoredTask[] = [];
    for (let from = 0; from < keys.length; from += AT_ONCE) {
      tasks.push(...(await Promise.all(keys.slice(from, from + AT_ONCE).map((key) => readTask(redis, key)))));
    }
    return tasks;
  } finally {
    redis.disconnect();
  }
}

async function taskKeys(redis: Redis, keyPrefix: string): Promise<readonly string[]> {
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [next, page] = await redis.scan(cursor, 'MATCH', `${keyPrefix}:*:task:*`, 'COUNT', 1000);
    for (const key of page) if (/:task:[0-9a-f-]{36}$/.test(key)) keys.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...keys];
}

async function readTask(redis: Redis, key: string): Promise<StoredTask> {
  const [hash, later] = await Promise.all([redis.hgetall(key), redis.lrange(`${key}:history`, 0, -1)]);
  const [state = '', seq = ''] = (hash.s ?? '').split(' ');
  const numbers = numbersAfter('e', hash);
  return {
    id: key.slice(-36),
    fields: {
      ...{ state, seq, skill: (hash.i ?? '').split(' ')[1] ?? '' },
      ...{ ms: (hash.t ?? '').slice(0, 13), message: (hash.t ?? '').slice(14) },
    },
    events: numbers.map((number) => ({ seq: number, event: eventOf(hash[`e${number}`] ?? '', hash) })),
    history: [hash.h ?? '', ...later].map((text) => JSON.parse(text) as Message),
    runs: numbersAfter('R', hash).map((number) => hash[`R${number}`] ?? ''),
  };
}

/** The numbers of the fields that begin with a letter, in order. */
function numbersAfter(letter: string, hash: Readonly<Record<string, string>>): readonly number[] {
  const names = Object.keys(hash).filter((name) => name.startsWith(letter) && /^\d+$/.test(name.slice(1)));
  return names.map((name) => Number(name.slice(1))).sort((a, b) => a - b);
}

/** `<nonce> <event>`; the first one ends where the message begins that made the task. */
function eventOf(stored: string, { h = '', m }: Record<string, string>): StreamResponse {
  const text = stored.slice(stored.indexOf(' ') + 1);
  const rest = text.endsWith('[') ? `${h}]${m === undefined ? '' : `,"metadata":${m}`}}}` : '';
  return JSON.parse(text + rest) as StreamResponse;
}
