/**
 * How long a tenant waits for its tasks while another tenant has many in line: `npm run bench:fairness [-- TASKS]`.
 * Starts Redis, an api, a dispatcher and, once everything is in line, a worker, all on loopback, and ends them.
 */
import { createHash, randomUUID } from 'node:crypto';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { RedisServer } from '../test/support/redis-server.js';
import { ServiceProcess } from './support/service-process.mjs';

const BACKLOG = Number(process.argv[2] ?? 10_000);
const SAMPLES = 20;
const AT_ONCE = 32;
const WAITING_MS = 300_000;

const keyOf = (tenant: string): string => `${tenant}.0123456789abcdef`;

const API_KEYS = ['many', 'few']
  .map((tenant) => {
    const digest = createHash('sha256').update(keyOf(tenant)).digest('hex');
    return `${tenant}:${tenant}:client:a2a:message.send a2a:tasks.read:${digest}`;
  })
  .join(';');

const redis = await RedisServer.start();
const shared = {
  ...{
    REDIS_URL: redis.url,
    API_KEYS,
    AUDIT_LOG: devNull,
    DATA_DIR: join(tmpdir(), `parley-fairness-${randomUUID()}`),
  },
  ...{ RATE_WRITE: '99999999/99999999', RATE_READ: '99999999/99999999', RATE_ADDRESS: 'off', BLOCKING_MS: '300000' },
  ...{ QUOTA_LIVE_TASKS: '1000000', QUOTA_WAITING_TASKS: '1000000' },
};
const services = ['api', 'dispatcher'].map((ROLE) => new ServiceProcess({ ...shared, ROLE }));
try {
  const [url = ''] = await Promise.all(services.map((service) => service.ready()));
  const pool = new Pool(url, { connections: AT_ONCE, headersTimeout: WAITING_MS });

  const send = async (tenant: string, returnImmediately: boolean): Promise<number> => {
    const began = performance.now();
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    const params = { message, configuration: { returnImmediately } };
    const response = await pool.request({
      ...{ method: 'POST', path: '/' },
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': keyOf(tenant) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
    });
    const answer = await response.body.text();
    if (!answer.includes('"result"')) throw new Error(`${tenant}: ${answer}`);
    return performance.now() - began;
  };

  const samples = async (): Promise<readonly number[]> => {
    const times: number[] = [];
    for (let count = 0; count < SAMPLES; count += 1) times.push(await send('few', false));
    return times;
  };

  const listed = async (tenant: string, status: string): Promise<number> => {
    const path = `/tasks?status=${status}&pageSize=1`;
    const headers = { 'a2a-version': '1.0', 'x-api-key': keyOf(tenant) };
    const response = await pool.request({ method: 'GET', path, headers });
    return ((await response.body.json()) as { totalSize: number }).totalSize;
  };

  let left = BACKLOG;
  const fill = async (): Promise<void> => {
    while (left-- > 0) await send('many', true);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));
  console.error(`${String(BACKLOG)} runs of one tenant are in line`);
  const began = performance.now();
  const worker = new ServiceProcess({ ...shared, ROLE: 'worker' });
  services.push(worker);
  await worker.ready();
  const first = await send('few', false);
  console.error('the second tenant has its first answer');
  const busy = await samples();
  const inLine = await listed('many', 'TASK_STATE_SUBMITTED');
  while ((await listed('many', 'TASK_STATE_COMPLETED')) < BACKLOG) await new Promise((next) => setTimeout(next, 200));
  const seconds = (performance.now() - began) / 1000;
  const idle = await samples();

  console.log(`first task of the second tenant: ${first.toFixed(0)} ms`);
  console.log(`its next ${String(SAMPLES)}, one after the other: ${summary(busy)}`);
  console.log(`runs of the first tenant still in line after that: ${String(inLine)} of ${String(BACKLOG)}`);
  console.log(`all done after ${seconds.toFixed(1)} s, ${(BACKLOG / seconds).toFixed(0)} tasks/s`);
  console.log(`the second tenant alone: ${summary(idle)}`);
  await pool.close();
} finally {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await redis.stop();
}
process.exit(0);

function summary(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(1);
  return `median ${at(0.5)} ms, worst ${at(1)} ms`;
}
