import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'undici';
import { ServiceProcess } from '../../kit/app/service-process.mjs';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

jest.setTimeout(60_000);

const KEY = 'robot.0123456789abcdef';
const OTHER_KEY = 'mill.0123456789abcdef';
const PER_SECOND = 100;
const BURST = 100;
const SPAN_MS = 2_000;

let services: readonly ServiceProcess[];
let pools: readonly Pool[];

beforeAll(async () => {
  const variables = {
    ...{ ROLE: 'api', REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}`, RATE_ADDRESS: 'off' },
    API_KEYS: [KEY, OTHER_KEY].map((key) => apiKeyEntry(key, { tenant: 'acme', scopes: 'a2a:tasks.read' })).join(';'),
    RATE_READ: `${String(PER_SECOND * 60)}/${String(BURST)}`,
    API_REPLICAS: '3',
  };
  services = [1, 2, 3].map(() => new ServiceProcess(variables));
  pools = (await Promise.all(services.map((service) => service.ready()))).map(
    (url) => new Pool(url, { connections: 3 }),
  );
});

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.destroy()));
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
});

/** Whether a replica let a call of the one caller pass: the task does not exist, but asking for it costs a unit. */
async function passes(pool: Pool, key = KEY): Promise<boolean> {
  const headers = { 'a2a-version': '1.0', 'x-api-key': key };
  const { statusCode, body } = await pool.request({ method: 'GET', path: `/tasks/${randomUUID()}`, headers });
  await body.dump();
  if (statusCode !== 404 && statusCode !== 429) throw new Error(`The replica answered ${String(statusCode)}`);
  return statusCode === 404;
}

describe('three replicas', () => {
  beforeAll(async () => {
    // A bucket that is full gains nothing while the first calls wait for their connections.
    const first = pools.flatMap((pool) => [1, 2, 3].map(() => pool.request({ method: 'GET', path: '/health/live' })));
    await Promise.all(first.map(async (answer) => (await answer).body.dump()));
  });

  it('together keep a caller to its rate and burst within 1 %, and give it no less (A2A-SEC-05)', async () => {
    const began = performance.now();
    let [asked, passed] = [0, 0];
    const hammer = async (pool: Pool): Promise<void> => {
      while (performance.now() - began < SPAN_MS) {
        asked += 1;
        if (await passes(pool)) passed += 1;
      }
    };
    await Promise.all(pools.flatMap((pool) => [hammer(pool), hammer(pool), hammer(pool)]));
    const allowance = BURST + PER_SECOND * ((performance.now() - began) / 1_000);
    expect(asked).toBeGreaterThan(allowance * 1.5);
    expect(passed).toBeLessThanOrEqual(allowance * 1.01);
    expect(passed).toBeGreaterThan(allowance * 0.9);
  });

  it('lose of a busy caller’s rate a sixteenth at most when one is killed, and none pass twice (A2A-SEC-05)', async () => {
    const began = performance.now();
    const before = 30;
    const [doomed, ...others] = pools;
    for (let at = 0; at < before; at += 1) expect(await passes(doomed!, OTHER_KEY)).toBe(true);
    await services[0]!.stop('SIGKILL');
    const calls = others.flatMap((pool) => Array.from({ length: BURST }, async () => passes(pool, OTHER_KEY)));
    const passed = (await Promise.all(calls)).filter(Boolean).length;
    expect(passed).toBeGreaterThanOrEqual(Math.floor((BURST - before) * (15 / 16)));
    const allowance = BURST + PER_SECOND * ((performance.now() - began) / 1_000);
    expect(before + passed).toBeLessThanOrEqual(allowance * 1.01);
  });
});
