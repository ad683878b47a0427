import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { commandsOf, renamed, shifted, type StoredFixture, type StoredKey } from './stored-fixture.js';

type Command = readonly [string, ...string[]];

/** Commands in one round trip. */
const AT_ONCE = 2_000;

/** Stores many tasks of schema 2: copies of those of the fixture, under ids of their own in the same shards. */
export async function storeCopies(
  redis: Redis,
  fixture: StoredFixture,
  keyPrefix: string,
  count: number,
): Promise<void> {
  const shift = Date.now() - fixture.savedAt;
  const keys = renamed(fixture.keys, keyPrefix).map((key) => shifted(key, shift));
  const shapes = fixture.tasks.map(({ id }) => shapeOf(keys, id));
  await redis.hset(`${keyPrefix}:schema`, { number: '2', oldest: '2' });
  let commands: Command[] = [];
  for (let made = 0; made < count; made += 1) {
    commands.push(...(shapes[made % shapes.length]?.() ?? []));
    if (commands.length < AT_ONCE && made < count - 1) continue;
    const work = redis.pipeline();
    for (const command of commands) work.call(...command);
    const failed = (await work.exec())?.find(([error]) => error !== null);
    if (failed?.[0]) throw failed[0];
    commands = [];
  }
}

/** Makes the commands that store a copy of one task: its own keys, and its entries in those of its shard. */
function shapeOf(keys: readonly StoredKey[], id: string): () => readonly Command[] {
  const own = keys.filter(
    ([name, , , value]) => name.includes(id) || (typeof value === 'string' && value.startsWith(id)),
  );
  const entries = keys.flatMap(([name, type, , value]): Command[] => {
    if (type !== 'zset' || typeof value === 'string') return [];
    return value.flatMap((member, at): Command[] =>
      at % 2 === 0 && member.includes(id) ? [['ZADD', name, value[at + 1] ?? '0', member]] : [],
    );
  });
  const commands = JSON.stringify([...own.flatMap(commandsOf), ...entries, ...countsOf(keys, id)]);
  return () => {
    const copy = id.slice(0, 2) + randomUUID().slice(2);
    return JSON.parse(
      commands.replaceAll(id, copy).replaceAll(/:sent:[\w-]{8}/g, `:sent:${copy.slice(0, 8)}`),
    ) as Command[];
  };
}

/** What the hashes of a shard say of a task: how many are in its state, and how many runs wait. */
function countsOf(keys: readonly StoredKey[], id: string): readonly Command[] {
  const [name = '', , , value = []] = keys.find(([key]) => key.endsWith(`:task:${id}`)) ?? [];
  const field = (wanted: string): string => value[value.indexOf(wanted) + 1] ?? '';
  const shard = name.slice(0, name.indexOf(':task:'));
  const counted: Command = ['HINCRBY', `${shard}:index-counts`, `${field('skill')} ${field('state')}`, '1'];
  return field('place') === '' ? [counted] : [counted, ['HINCRBY', `${shard}:line`, 'all', '1']];
}
