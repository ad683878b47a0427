import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { TaskOptions } from '../../../src/tasks/task.options.js';
import { violations } from '../checks/invariants.js';
import { RedisServer } from '../redis/redis-server.js';
import { TaskStores } from './task-stores.js';

/** What the facts about a store share: one Redis for the file, fresh keys for each fact, all invariants after it. */
export function useTaskStores(options: Partial<TaskOptions> = {}): { readonly now: TaskStores } {
  let server: RedisServer | undefined;
  let first: TaskStores | undefined;
  let now: TaskStores;
  beforeAll(async () => {
    server = await RedisServer.start();
    first = TaskStores.connect(server.url);
    now = first;
  });
  beforeEach(() => {
    now = new TaskStores(now.redis, options);
  });
  afterEach(async () => {
    expect(await violations(now)).toEqual([]);
  });
  afterAll(async () => {
    first?.redis.disconnect();
    await server?.stop();
  });
  return {
    get now() {
      return now;
    },
  };
}
