/**
 * How long tenants wait for their first task while another tenant has many waiting runs:
 * `npm run bench -- fairness [TASKS [whole]]`. Starts Redis, an api, a dispatcher and, once all runs are queued, a worker
 * of 10 slots, all on loopback, and ends them. Runs take 50 ms; the time in which the worker becomes warm does not count.
 * With `whole`, two processes of every role have 5 slots each, and begin runs where they arrive when nothing waits.
 *
 * The figure for the order of arrival is measured at the same moment: a task that the first tenant sends then is behind
 * all its waiting runs, as every tenant's task would be in that order.
 */
import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { apiKeyEntry } from '../../test/kit/auth/api-key-entry.js';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { percentile } from '../chaos/check/figures.js';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { temporaryFolder } from '../../test/kit/run/temporary-folder.mjs';

const BACKLOG = Number(process.argv[2] ?? 10_000);
const RUN_MS = 50;
const SAMPLES = 20;
const AT_ONCE = 32;
const IS_WHOLE = process.argv[3] === 'whole';
const WARM_UP = Math.min(300, Math.floor(BACKLOG / 4));
const WAITING_MS = 600_000;

const PROGRAM = fileURLToPath(new URL('./service.mjs', import.meta.url));
const keyOf = (tenant: string): string => `${tenant}.0123456789abcdef`;

const OTHERS = Array.from({ length: SAMPLES }, (_unused, at) => `other-${String(at)}`);
const SCOPES = 'a2a:message.send a2a:tasks.read';
const API_KEYS = ['many', ...OTHERS]
  .map((tenant) => apiKeyEntry(keyOf(tenant), { tenant, client: 'client', scopes: SCOPES }))
  .join(';');

const redis = await RedisServer.start();
const shared = {
  ...{
    REDIS_URL: redis.url,
    API_KEYS,
    AUDIT_LOG: devNull,
    DEFAULT_SKILL: 'rest',
    WORKER_CONCURRENCY: IS_WHOLE ? '5' : '10',
  },
  ...{ DATA_DIR: temporaryFolder('fairness'), BLOCKING_MS: String(WAITING_MS) },
};
const services = (IS_WHOLE ? ['all', 'all'] : ['api', 'dispatcher']).map(
  (ROLE) => new ServiceProcess({ ...shared, ROLE }, PROGRAM),
);
try {
  const [url = '', otherUrl = ''] = await Promise.all(services.map((service) => service.ready()));
  const pool = new Pool(url, { connections: AT_ONCE, headersTimeout: WAITING_MS });
  const pools = IS_WHOLE ? [pool, new Pool(otherUrl, { connections: AT_ONCE, headersTimeout: WAITING_MS })] : [pool];
  let sent = 0;

  const send = async (tenant: string, returnImmediately: boolean): Promise<number> => {
    const began = performance.now();
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: String(RUN_MS) }] };
    const params = { message, configuration: { returnImmediately } };
    const response = await (pools[sent++ % pools.length] ?? pool).request({
      ...{ method: 'POST', path: '/' },
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': keyOf(tenant) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
    });
    const answer = await response.body.text();
    const expected = returnImmediately ? '"result"' : 'TASK_STATE_COMPLETED';
    if (!answer.includes(expected)) throw new Error(`${tenant}: ${answer}`);
    return performance.now() - began;
  };

  /** One after the other. */
  const timesOf = async (tenants: readonly string[]): Promise<readonly number[]> => {
    const times: number[] = [];
    for (const tenant of tenants) times.push(await send(tenant, false));
    return times;
  };
  const [other = ''] = OTHERS;
  const same = OTHERS.map(() => other);

  const inLine = async (): Promise<number> => {
    const path = `/tasks?status=TASK_STATE_SUBMITTED&pageSize=1`;
    const headers = { 'a2a-version': '1.0', 'x-api-key': keyOf('many') };
    const response = await pool.request({ method: 'GET', path, headers });
    return ((await response.body.json()) as { totalSize: number }).totalSize;
  };

  const filling = performance.now();
  let left = BACKLOG;
  const fill = async (): Promise<void> => {
    while (left-- > 0) await send('many', true);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));
  console.error(`${String(BACKLOG)} runs are in line after ${seconds(filling)} s`);

  if (!IS_WHOLE) {
    const worker = new ServiceProcess({ ...shared, ROLE: 'worker' }, PROGRAM);
    services.push(worker);
    await worker.ready();
  }
  while ((await inLine()) > BACKLOG - WARM_UP) await pause(50);
  const ahead = await inLine();
  const draining = performance.now();
  const inOrderOfArrival = send('many', false);
  const first = await timesOf(OTHERS);
  console.error('the other tenants have their first answers');
  const next = await timesOf(same);
  const still = await inLine();
  const last = await inOrderOfArrival;
  const drained = seconds(draining);
  const alone = await timesOf(same);
  await Promise.all(pools.map((each) => each.close()));

  console.log(`runs of the first tenant in line, of ${String(RUN_MS)} ms each: ${String(ahead)}`);
  console.log(`in the order of arrival, a task that comes now is done after: ${last.toFixed(0)} ms`);
  console.log(`the first tasks of ${String(SAMPLES)} other tenants: ${summary(first)}`);
  console.log(`the next ${String(SAMPLES)} of one of them: ${summary(next)}`);
  console.log(`runs of the first tenant still in line after that: ${String(still)}`);
  console.log(`with nobody in line: ${summary(alone)}`);
  console.log(`the line was empty after ${drained} s, ${(ahead / Number(drained)).toFixed(0)} runs a second`);
} finally {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await redis.stop();
}
process.exit(0);

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(1);
}

function summary(times: readonly number[]): string {
  return `median ${percentile(times, 0.5).toFixed(0)} ms, worst ${percentile(times, 1).toFixed(0)} ms`;
}
