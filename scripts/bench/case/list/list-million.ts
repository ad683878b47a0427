import { RedisServer } from '../../../../test/kit/redis/redis-server.js';
import { TaskStores } from '../../../../test/kit/tasks/task-stores.js';
import { LOCAL_PRINCIPAL, ownerOf } from '../../../../src/auth/principal.js';
import type { BenchCase } from '../../bench-case.js';
import { Rounds, warmUp } from '../../report/rounds.js';
import { fill, LIST_LOAD, listTitle } from './list.js';

const FEW = { usual: 24_000, quick: 500 };
const MANY = { usual: 1_000_000, quick: 2_000 };
const AT_ONCE = 256;
/** Tasks of one context. */
const CONVERSATION = 100;
/** By default Redis sets aside 4 KiB for the events of each task, whatever their length. */
const LEAN = { appendonly: 'no', 'stream-node-max-bytes': '256' };
const SHARE = 'requests/s with few tasks / with these';

/** Whether a page costs the same however many tasks there are. */
export const listMillion: BenchCase = {
  name: 'list-million',
  what: `ListTasks of this service among ${MANY.usual.toLocaleString('en-US')} tasks; storing them takes minutes and 5 GB of memory`,
  goals: [{ case: listTitle(MANY.usual), figure: SHARE, system: 'parley', atMost: 1.3 }],
  onlyByName: true,

  async run(lab) {
    const size = lab.effort.quick ? 'quick' : 'usual';
    const [few, many] = [new Rounds(listTitle(FEW[size])), new Rounds(listTitle(MANY[size]))];
    const redis = await RedisServer.start({ config: LEAN });
    try {
      const usual = await lab.start('parley');
      await fill(lab, usual, FEW[size]);
      const crowded = await lab.start('parley', { redis, variables: { KEY_PREFIX: 'many' } });
      await store(redis, MANY[size]);
      for (const system of [usual, crowded]) await warmUp(lab, system, LIST_LOAD);
      for (let round = 0; round < lab.effort.rounds; round += 1) {
        const rate = await few.measure(lab, usual, LIST_LOAD);
        const crowdedRate = await many.measure(lab, crowded, LIST_LOAD);
        many.add(SHARE, 'parley', rate / crowdedRate);
      }
      return [...few.measures, ...many.measures];
    } finally {
      await lab.stopAll();
      await redis.stop();
    }
  },
};

/**
 * So many finished tasks of the local caller, written by the store itself: calls would take ten times as long. They
 * equal the tasks of calls whose message no skill takes.
 */
async function store(redis: RedisServer, amount: number): Promise<void> {
  const stores = TaskStores.connect(redis.url, { keyPrefix: 'many' });
  const owner = ownerOf(LOCAL_PRINCIPAL, 'client');
  for (let done = 0; done < amount; done += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, amount - done) }, (_unused, at) =>
      stores.create({
        ...{ owner, client: 'local', contextId: `conversation ${Math.floor((done + at) / CONVERSATION)}` },
        routing: { rejection: 'This task was made to be listed.' },
      }),
    );
    await Promise.all(batch);
  }
  stores.redis.disconnect();
}
