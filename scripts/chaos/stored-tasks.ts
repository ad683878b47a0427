import { Redis } from 'ioredis';
import type { StreamResponse } from '../../src/protocol/event.js';
import type { Message } from '../../src/protocol/message.js';

/** A task as it lies in Redis, read key by key and without the service's own code. */
export interface StoredTask {
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly events: readonly { readonly seq: number; readonly event: StreamResponse }[];
  readonly history: readonly Message[];
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
  const [fields, entries, history] = await Promise.all([
    redis.hgetall(key),
    redis.xrange(`${key}:events`, '-', '+'),
    redis.lrange(`${key}:history`, 0, -1),
  ]);
  return {
    id: key.slice(-36),
    fields,
    events: entries.map(([id, members]) => ({
      seq: Number(id.split('-')[0]),
      event: JSON.parse(members[3] ?? '') as StreamResponse,
    })),
    history: history.map((text) => JSON.parse(text) as Message),
  };
}
