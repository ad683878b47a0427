/**
 * What one tenant can do to another: `npm run bench -- tenants [SECONDS]`. Starts a Redis with 300 MB and the whole service
 * on loopback, and ends them. One tenant sends 20 files of 8 MiB a second; another sends echo and countdown all the time,
 * before, meanwhile and afterwards. Exits with 1 when a task of the other tenant fails or is refused.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { apiKeyEntry } from '../../test/kit/auth/api-key-entry.js';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { temporaryFolder } from '../../test/kit/run/temporary-folder.mjs';
import { spread } from '../chaos/check/figures.js';

const FLOOD_S = Number(process.argv[2] ?? 30);
const QUIET_S = 10;
const ECHO_EVERY_MS = 100;
const COUNTDOWN_EVERY_MS = 1_000;
/** The countdown counts seconds. */
const COUNTED_S = 2;
const MEMORY = '300mb';
const FILES = { bytes: 8 * 1_048_576, perSecond: 20 };

const keyOf = (tenant: string): string => `${tenant}.0123456789abcdef`;
const SCOPES = 'a2a:message.send a2a:tasks.read';
const API_KEYS = ['greedy', 'modest'].map((tenant) =>
  apiKeyEntry(keyOf(tenant), { tenant, client: 'c', scopes: SCOPES }),
);

interface Phase {
  readonly echo: number[];
  readonly countdown: number[];
  /** Calls not answered with a completed task. */
  readonly failures: Map<string, number>;
}

const redis = await RedisServer.start({ config: { maxmemory: MEMORY } });
const service = new ServiceProcess({
  ...{ REDIS_URL: redis.url, API_KEYS: API_KEYS.join(';'), AUDIT_LOG: devNull },
  DATA_DIR: temporaryFolder('tenants'),
});
try {
  const url = await service.ready();
  const work = startWork(url);
  await pause(2_000);
  const before = work.phase();
  await pause(QUIET_S * 1_000);
  const meanwhile = work.phase();
  const flood = new Worker(new URL('./flood.mjs', import.meta.url), {
    workerData: { url, key: keyOf('greedy'), seconds: FLOOD_S, ...FILES },
  });
  const [answers] = (await once(flood, 'message')) as [Readonly<Record<string, number>>];
  const afterwards = work.phase();
  await pause(QUIET_S * 1_000);
  await work.end();

  const files = FILES.perSecond * FLOOD_S;
  console.log(`${String(files)} files of 8 MiB, ${String(FILES.perSecond)} a second, at maxmemory ${MEMORY}:`);
  for (const [answer, count] of Object.entries(answers)) console.log(`  ${String(count)} × ${answer}`);
  console.log(`Redis used ${await redisMemory()} at the end`);
  const phases = { before, meanwhile, afterwards };
  for (const [name, { echo, countdown, failures }] of Object.entries(phases)) {
    console.log(`${name}: echo ${figures(echo)}; countdown of ${String(COUNTED_S)} s ${figures(countdown)}`);
    for (const [failure, count] of failures) console.log(`  ${String(count)} × ${failure}`);
  }
  process.exitCode = Object.values(phases).some(({ failures }) => failures.size > 0) ? 1 : 0;
} finally {
  await service.stop('SIGKILL');
  await redis.stop();
}
process.exit();

/** The work of the modest tenant, at its pace; `phase` says where it is counted from now on. */
function startWork(url: string): { phase(): Phase; end(): Promise<void> } {
  let now = newPhase();
  const underWay = new Set<Promise<void>>();
  const send = (skillId: 'echo' | 'countdown', text: string): void => {
    const { [skillId]: times, failures } = now;
    const began = performance.now();
    const sent = answerOf(url, skillId, text).then((failure) => {
      if (failure === undefined) times.push(performance.now() - began);
      else failures.set(failure, (failures.get(failure) ?? 0) + 1);
    });
    underWay.add(sent);
    void sent.then(() => underWay.delete(sent));
  };
  const timers = [
    setInterval(send, ECHO_EVERY_MS, 'echo', 'hello'),
    setInterval(send, COUNTDOWN_EVERY_MS, 'countdown', String(COUNTED_S)),
  ];
  return {
    phase: () => (now = newPhase()),
    end: async () => {
      timers.forEach(clearInterval);
      await Promise.all(underWay);
    },
  };
}

function newPhase(): Phase {
  return { echo: [], countdown: [], failures: new Map() };
}

/** Undefined for a completed task, else its fault. */
async function answerOf(url: string, skillId: string, text: string): Promise<string | undefined> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata: { skillId } };
  try {
    const response = await fetch(`${url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': keyOf('modest') },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    });
    const answer = await response.text();
    return answer.includes('TASK_STATE_COMPLETED') ? undefined : `${skillId} ${String(response.status)}: ${answer}`;
  } catch (error) {
    return `${skillId}: ${String(error)}`;
  }
}

function figures(times: readonly number[]): string {
  const { count, p50, p99, max } = spread(times);
  return `${String(count)}, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, max ${max.toFixed(0)} ms`;
}

async function redisMemory(): Promise<string> {
  const client = new Redis(redis.port, '127.0.0.1');
  const info = await client.info('memory');
  client.disconnect();
  return /used_memory_human:(\S+)/.exec(info)?.[1] ?? '?';
}
