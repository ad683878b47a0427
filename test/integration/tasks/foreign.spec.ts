import { describe, expect, it } from '@jest/globals';
import { Replicas } from '../../../src/platform/redis/replicas.js';
import { ConfigStore } from '../../../src/webhooks/config/config.store.js';
import { PUSH_DEFAULTS } from '../../../src/webhooks/push.options.js';
import { TaskInspector } from '../../../src/tasks/lists/task-inspector.js';
import { contextOfTask } from '../../../src/tasks/record/task-lists.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';

let stores: ReturnType<typeof useTaskStores>;
const STRANGER = 'umbrella/client:other';

/** Bytes that Redis answers to a call. */
async function answered(call: () => Promise<unknown>): Promise<number> {
  const { stream } = stores.now.redis as unknown as { readonly stream: { readonly bytesRead: number } };
  const before = stream.bytesRead;
  await call();
  return stream.bytesRead - before;
}

function configs(): ConfigStore {
  const { keyPrefix } = stores.now.options;
  const masterKeys = [{ id: 'm1', secret: 'master' }] as const;
  const options = { ...PUSH_DEFAULTS, keyPrefix, issuer: 'https://agent.example.com', masterKeys };
  return new ConfigStore(stores.now.redis, options, new Replicas(stores.now.redis, { replicas: 0, waitMs: 100 }));
}

type Route = (owner: string, id: string) => Promise<unknown>;
const record = { id: 'c1', tenant: 't', client: 'c', url: 'https://a.example', dialect: '1.0' } as const;

const ROUTES: Readonly<Record<string, Route>> = {
  'read a task': (owner, id) => stores.now.tasks.read(owner, id),
  'continue a task': (owner, taskId) =>
    stores.now.tasks.resume(owner, { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }], taskId }, 'hash'),
  'check the next message of a task': (owner, id) => stores.now.tasks.begun(owner, id),
  'cancel a task': (owner, id) => stores.now.tasks.cancel(owner, id),
  'read its version': (owner, id) => stores.now.tasks.dialect(owner, id),
  'list by its context': (owner, id) => stores.now.index.list(owner, { contextId: contextOfTask(id) }, { limit: 10 }),
  'list its webhooks': (owner, id) => configs().list(owner, id),
  'read the attempts of its webhooks': (owner, id) => configs().history(owner, id),
  'see when they are tried next': (owner, id) => configs().nextAttempts(owner, id),
  'add a webhook': (owner, taskId) => configs().register(owner, { ...record, taskId }),
  'remove a webhook': (owner, id) => configs().unregister(owner, id, 'c1'),
  'read it as an operator of a tenant': (owner, id) =>
    new TaskInspector(stores.now.redis, stores.now.options).ofTenant(owner.split('/')[0] ?? '', id),
};

describe('what Redis answers', () => {
  stores = useTaskStores();

  it.each(Object.entries(ROUTES))(
    'is the same for a foreign task as for a missing one: %s (A12)',
    async (_name, route) => {
      const { taskId } = await stores.now.running();
      await configs().register(OWNER, { ...record, taskId });
      const missing = `${taskId.slice(0, -4)}${taskId.endsWith('0000') ? '1111' : '0000'}`;
      await answered(() => route(STRANGER, missing));
      expect(await answered(() => route(STRANGER, taskId))).toBe(await answered(() => route(STRANGER, missing)));
    },
  );
});
