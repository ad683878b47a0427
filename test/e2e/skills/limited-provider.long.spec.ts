import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { useServices } from '../../kit/app/started-services.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { eventually } from '../../kit/run/eventually.js';
import { OpenAiStub } from '../../kit/stubs/openai-stub.js';

const CALLS = 40;
const SLOTS = 4;
/** What the provider asks for while it has no capacity. */
const PAUSE_MS = 2_000;

const run = useServices();
let stub: OpenAiStub;
let hasCapacity = false;
let refusals = 0;

beforeAll(async () => {
  stub = await OpenAiStub.start(async ({ body: { messages } }) => {
    if (hasCapacity) return { text: `answer to ${messages[0]?.content ?? ''}` };
    refusals += 1;
    return { status: 429, retryAfter: String(PAUSE_MS / 1_000) };
  });
});

afterAll(() => stub.close());

function modelsFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'parley-limited-')), 'models.json');
  const providers = { only: { type: 'openai-compatible', url: stub.url } };
  writeFileSync(path, JSON.stringify({ providers, models: { fast: { provider: 'only', id: 'm' } } }));
  return path;
}

it('parks calls of a provider without capacity, over the death of a worker, while other skills run as before (LLM-18, I11)', async () => {
  const shared = {
    ...{ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}`, SKILLS: './test/fixtures/asking' },
    ...{ MODELS_FILE: modelsFile(), WORKER_CONCURRENCY: String(SLOTS) },
  };
  const api = run({ ...shared, ROLE: 'api' });
  run({ ...shared, ROLE: 'dispatcher' });
  const workers = [run({ ...shared, ROLE: 'worker' }), run({ ...shared, ROLE: 'worker' })];
  await Promise.all(workers.map((worker) => worker.ready()));
  const client = new RpcClient(await api.ready());
  const began = Date.now();
  const ids = await Promise.all(
    Array.from({ length: CALLS }, async (_, at) => {
      const params = { ...aMessage(`question ${String(at)}`, { skillId: 'asking' }) };
      const task = await client.task('SendMessage', { ...params, configuration: { returnImmediately: true } });
      return task.id;
    }),
  );
  // More calls wait than there are slots, and none of them holds one: others end meanwhile.
  await eventually(async () => expect(refusals).toBeGreaterThan(0), { timeoutMs: 60_000 });
  for (let count = 0; count < 20; count += 1) {
    const plain = await client.task('SendMessage', aMessage('go', { skillId: 'plain' }));
    expect(plain.status.state).toBe('TASK_STATE_COMPLETED');
  }
  expect(stub.requests).toHaveLength(refusals);
  workers[0]?.child.kill('SIGKILL');
  // Those that were under way before the first refusal, and then probes: not each waiting call after each pause.
  expect(refusals).toBeLessThanOrEqual(2 * 2 * SLOTS + (Date.now() - began) / PAUSE_MS);
  hasCapacity = true;
  await eventually(
    async () => {
      const tasks = await Promise.all(ids.map((id) => client.task('GetTask', { id })));
      expect(tasks.map(({ status }) => status.state)).toEqual(ids.map(() => 'TASK_STATE_COMPLETED'));
      expect(tasks.map(({ status }) => status.message?.parts)).toEqual(
        ids.map((_, at) => [{ text: `answer to question ${String(at)}` }]),
      );
    },
    { timeoutMs: 150_000, intervalMs: 1_000 },
  );
  // A killed worker may have asked in vain once for each of its slots.
  expect(stub.requests.length - refusals).toBeLessThanOrEqual(CALLS + SLOTS);
}, 300_000);
