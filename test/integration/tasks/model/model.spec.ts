import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withEditedScripts } from '../../../kit/lua/script-mutation.js';
import { RedisServer } from '../../../kit/redis/redis-server.js';
import { lives, TaskDuel } from '../../../kit/tasks/task-duel.js';
import { TaskStores } from '../../../kit/tasks/task-stores.js';
import { FAULTS } from './faults.js';

/** Lives per run of this file; `MODEL_RUNS=2000 npm test -- model.spec` is the long one. */
const RUNS = Number(process.env.MODEL_RUNS ?? 100);

describe('the scripts and a model of them', () => {
  let server: RedisServer;
  let stores: TaskStores;
  beforeAll(async () => {
    server = await RedisServer.start({ config: { appendonly: 'no' } });
    stores = TaskStores.connect(server.url);
  });
  afterAll(async () => {
    stores.redis.disconnect();
    await server.stop();
  });

  it(
    `agree on ${RUNS} random lives`,
    async () => {
      await fc.assert(
        lives(() => new TaskStores(stores.redis)),
        { numRuns: RUNS },
      );
    },
    30_000 + RUNS * 200,
  );

  it.each(FAULTS)('agree on a life of a task, and differ on it when %s', async (_name, life, edit) => {
    const edited = withEditedScripts(stores.redis, edit);

    await new TaskDuel(new TaskStores(stores.redis)).play(life);
    await expect(new TaskDuel(new TaskStores(edited)).play(life)).rejects.toThrow(/the scripts say .* the model/);
  });
});
