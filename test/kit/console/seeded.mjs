/** A service with tasks in every state, for the demo, the screenshots and the browser tests. */
import { createServer } from 'node:http';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ServiceProcess } from '../app/service-process.mjs';

const PROGRAM = fileURLToPath(new URL('demo-service.mjs', import.meta.url));
const WAIT_MS = 30_000;

/**
 * Starts the service and its failing receiver of webhooks.
 * @param {Record<string, string>} variables
 * @param {{ isShared?: boolean }} options `isShared`: on a Redis that other processes of the service can share
 */
export async function startSeeded(variables = {}, { isShared = false } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-console-'));
  const redis = isShared ? await sharedRedis(dataDir) : undefined;
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead({ '/works': 204, '/busy': 503 }[request.url] ?? 410).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const port = receiver.address().port;
  const allowed = [`localhost:${port}=127.0.0.1/32!http`, variables.EGRESS_ALLOW].filter(Boolean);
  const secret = { SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}` };
  const shared = redis === undefined ? {} : { REDIS_URL: redis.url, ...secret };
  const settings = {
    ...{ DATA_DIR: dataDir, DEFAULT_SKILL: 'research', ...shared, ...variables },
    EGRESS_ALLOW: allowed.join(';'),
  };
  let service = new ServiceProcess(settings, PROGRAM);
  /** Ends the service and starts it again, at the same address. */
  const restart = async (at) => {
    await service.stop('SIGINT');
    service = new ServiceProcess({ ...settings, PORT: at }, PROGRAM);
    await service.ready();
  };
  /** Begins long work in a process of its own, kills that, and resolves with the task once another one has taken it over. */
  const loseWorker = async () => {
    const lost = new ServiceProcess(settings, PROGRAM);
    const id = await beginLongWork(await lost.ready()).finally(() => lost.stop('SIGKILL'));
    const address = await service.ready();
    for (const end = Date.now() + WAIT_MS; ; await pause(200)) {
      const { runs } = await (await fetch(`${address}/console/api/tasks/${id}`)).json();
      if (runs.length > 1) return id;
      if (Date.now() > end) throw new Error(`Nobody has taken over task ${id}`);
    }
  };
  const close = async () => {
    await service.stop('SIGINT');
    await redis?.stop();
    receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    return { address: await service.ready(), hooks: `http://localhost:${port}`, restart, loseWorker, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {string} address of the process that is to run it */
async function beginLongWork(address) {
  const caller = new Caller(address, {});
  const id = await caller.begin('index', 'The catalogue of the winter');
  await caller.until(id, 'TASK_STATE_WORKING');
  return id;
}

/** A Redis as the service starts it, for several processes. @param {string} dataDir */
async function sharedRedis(dataDir) {
  const { startEmbeddedRedis } = await import('../../../dist/platform/redis/embedded/embedded-redis.js');
  return startEmbeddedRedis({ dataDir });
}

/**
 * Sends the messages that make the tasks; resolves with their ids once each is in its state.
 * @param {string} address @param {string} hooks @param {Record<string, string>} headers
 */
export async function seed(address, hooks, headers = {}) {
  const client = new Caller(address, headers);
  const begin = (skill, text, more) => client.begin(skill, text, more);
  const tasks = {
    research: await begin('research', 'Why do customers leave in the first month?', { webhook: `${hooks}/works` }),
    refund: await begin('refund', 'Refund order A-20417, the lamp came broken.'),
    payout: await begin('payout', '12,400 EUR to Lamp Works'),
    translated: await begin('translate', 'The lamp is on the table and the table is in the hall.'),
    imported: await begin('import', 'prices-2026-11.csv', { webhook: `${hooks}/gone` }),
    indexed: await begin('index', 'The whole catalogue'),
    canceled: await begin('refund', 'Refund order A-19003.'),
    rejected: await begin('refund', 'Refund order A-18220.'),
    failed: await begin('read_source', 'support tickets: what breaks most?'),
  };
  await client.until(tasks.canceled, 'TASK_STATE_INPUT_REQUIRED');
  await client.call('CancelTask', { id: tasks.canceled });
  await client.until(tasks.rejected, 'TASK_STATE_INPUT_REQUIRED');
  await client.begin('refund', 'no', { taskId: tasks.rejected });
  const ends = { research: 'COMPLETED', refund: 'INPUT_REQUIRED', translated: 'COMPLETED', imported: 'COMPLETED' };
  const more = { payout: 'INPUT_REQUIRED', indexed: 'WORKING', rejected: 'REJECTED', failed: 'FAILED' };
  for (const [name, state] of Object.entries({ ...ends, ...more }))
    await client.until(tasks[name], `TASK_STATE_${state}`);
  return tasks;
}

/** A caller of A2A 1.0 over JSON-RPC. */
export class Caller {
  constructor(address, headers) {
    this.address = address;
    this.headers = { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers };
  }

  async call(method, params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(this.address, { method: 'POST', headers: this.headers, body });
    const { result, error } = await response.json();
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /**
   * @param {string} skillId @param {string} text
   * @param {{ taskId?: string, webhook?: string, files?: object[] }} more `files`: further parts
   */
  async begin(skillId, text, { taskId, webhook, files = [] } = {}) {
    const parts = [{ text }, ...files];
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts, ...(taskId && { taskId }) };
    const hook = webhook && { taskPushNotificationConfig: { id: 'orders', url: webhook } };
    const configuration = { returnImmediately: true, ...hook };
    const { task } = await this.call('SendMessage', {
      message,
      configuration,
      ...(!taskId && { metadata: { skillId } }),
    });
    return task.id;
  }

  async until(id, state) {
    for (const end = Date.now() + WAIT_MS; ; await pause(50)) {
      const task = await this.call('GetTask', { id, historyLength: 0 });
      if (task.status.state === state) return;
      if (Date.now() > end) throw new Error(`Task ${id} is ${task.status.state} and not ${state}`);
    }
  }
}
