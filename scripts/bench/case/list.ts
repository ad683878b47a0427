import { RedisServer } from '../../../test/support/redis-server.js';
import { TaskStores } from '../../../test/support/task-stores.js';
import { LOCAL_PRINCIPAL, ownerOf } from '../../../src/auth/principal.js';
import type { BenchCase } from '../bench-case.js';
import type { Lab, Load } from '../lab.js';
import { RATE, Rounds, warmUp } from '../rounds.js';
import { rpcBody, sendBody } from '../rpc.js';
import type { System } from '../system.js';

const LOAD: Load = { body: rpcBody('ListTasks', {}), connections: 4, expected: 'nextPageToken' };
const AT_ONCE = 256;
const SOME = { usual: 24_000, quick: 500 };
const MANY = { usual: 1_000_000, quick: 2_000 };

const title = (count: number): string =>
  `ListTasks, page of 50 of ${count.toLocaleString('en-US')} tasks, 4 connections`;
const SHARE = 'requests/s with few tasks / with these';

/** The page that everybody asks for first. */
export const list: BenchCase = {
  name: 'list',
  what: `${title(SOME.usual)}; ours also of ${MANY.usual.toLocaleString('en-US')}`,
  goals: [
    { case: title(SOME.usual), figure: RATE, system: 'parley', against: 'sdk-memory', atLeast: 50 },
    { case: title(MANY.usual), figure: SHARE, system: 'parley', atMost: 1.3 },
  ],

  async run(lab) {
    const size = lab.effort.quick ? 'quick' : 'usual';
    const redis = await RedisServer.start({ config: { appendonly: 'no' } });
    try {
      const systems = await lab.startAll(['parley', 'sdk-memory']);
      for (const system of systems) await fill(lab, system, SOME[size]);
      const crowded = await lab.start('parley', { redis, variables: { KEY_PREFIX: 'many' } });
      lab.say(`list: storing ${MANY[size].toLocaleString('en-US')} tasks`);
      await store(redis, MANY[size]);
      return await compare(lab, systems, crowded, size);
    } finally {
      await lab.stopAll();
      await redis.stop();
    }
  },
};

/** Few and many tasks are asked for in turn too: their ratio is a goal. */
async function compare(
  lab: Lab,
  systems: readonly System[],
  crowded: System,
  size: keyof typeof SOME,
): ReturnType<BenchCase['run']> {
  const [few, many] = [new Rounds(title(SOME[size])), new Rounds(title(MANY[size]))];
  for (const system of [...systems, crowded]) await warmUp(lab, system, LOAD);
  for (let round = 0; round < lab.effort.rounds; round += 1) {
    for (const system of systems) await few.measure(lab, system, LOAD);
    await many.measure(lab, crowded, LOAD);
  }
  const [rates, crowdedRates] = [few, many].map(
    ({ measures }) => measures.find(({ figure }) => figure === RATE)?.values,
  );
  rates?.forEach((rate, at) => {
    many.add(SHARE, 'parley', rate / (crowdedRates?.[at] ?? 0));
  });
  return [...few.measures, ...many.measures];
}

/** So many tasks, made as callers make them. */
async function fill(lab: Lab, system: System, amount: number): Promise<void> {
  await lab.load(system, { body: sendBody('SendMessage', 'instant'), connections: 32, expected: '"task"', amount });
  await system.quiet();
}

/** So many finished tasks of the local caller, written by the store itself: calls would take ten times as long. */
async function store(redis: RedisServer, amount: number): Promise<void> {
  const stores = TaskStores.connect(redis.url, { keyPrefix: 'many' });
  const owner = ownerOf(LOCAL_PRINCIPAL, 'client');
  for (let done = 0; done < amount; done += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, amount - done) }, () =>
      stores.create({ owner, client: 'local', fate: { rejection: 'This task was made to be listed.' } }),
    );
    await Promise.all(batch);
  }
  stores.redis.disconnect();
}
