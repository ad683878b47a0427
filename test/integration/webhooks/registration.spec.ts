import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { NotReplicated, Replicas } from '../../../src/platform/redis/replicas.js';
import { ConfigStore } from '../../../src/webhooks/config/config.store.js';
import { PushKeys } from '../../../src/webhooks/push.keys.js';
import { PUSH_DEFAULTS } from '../../../src/webhooks/push.options.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';

/** Another database stands for a primary that has never seen what is written to the tests' own. */
const ELSEWHERE = 14;

describe(`${ConfigStore.name} where replicas are waited for`, () => {
  const stores = useTaskStores();
  let elsewhere: RedisClient;

  beforeAll(() => {
    const url = new URL(testRedisUrl());
    url.pathname = `/${String(ELSEWHERE)}`;
    elsewhere = connect(url.href, 'command');
  });
  afterAll(() => {
    elsewhere.disconnect();
  });

  /** @param primary is asked after the wait; no replica has to answer */
  function configs(primary: RedisClient): ConfigStore {
    const { keyPrefix } = stores.now.options;
    const masterKeys = [{ id: 'm1', secret: 'master' }] as const;
    const options = { ...PUSH_DEFAULTS, keyPrefix, issuer: 'https://agent.example.com', masterKeys };
    return new ConfigStore(stores.now.redis, options, new Replicas(primary, { replicas: 0, waitMs: 100 }));
  }

  it('does not say that a webhook is stored, or gone, when the write was lost (M11)', async () => {
    const { taskId } = await stores.now.running();
    const record = {
      id: 'c1',
      taskId,
      tenant: 'acme',
      client: 'crm',
      url: 'https://a.example',
      dialect: '1.0',
    } as const;
    await expect(configs(elsewhere).register(OWNER, record)).rejects.toThrow(NotReplicated);
    expect(await configs(stores.now.redis).register(OWNER, record)).toBe('ok');

    const push = new PushKeys(stores.now.options.keyPrefix).push(taskId);
    await elsewhere.hset(push, 'config:c1', 'still there');
    await expect(configs(elsewhere).unregister(OWNER, taskId, 'c1')).rejects.toThrow(NotReplicated);
    expect(await configs(stores.now.redis).unregister(OWNER, taskId, 'c1')).toBe(true);
    expect(await configs(stores.now.redis).list(OWNER, taskId)).toEqual([]);
    await elsewhere.del(push);
  });
});
