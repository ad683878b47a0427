// What the cases of `npm run console:figures` share: a service with callers, operators and approvers.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TextDecoderStream } from 'node:stream/web';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Agent, fetch } from 'undici';
import { ServiceProcess } from '../../../test/kit/service-process.mjs';

const PROGRAM = fileURLToPath(new URL('../../../test/kit/console/figures-service.mjs', import.meta.url));
const SEND = 'a2a:message.send a2a:tasks.read';
const OBSERVE = 'a2a:tasks.observe a2a:tasks.read a2a:approvals.answer a2a:platform.observe';
/** Clients of each kind: a caller of the console has a rate and ten feeds. */
const OBSERVERS = 12;
/** Clock ticks of a second in /proc. */
const TICKS = 100;

export class Lab {
  /**
   * Starts a service of its own.
   * @param {boolean} isOpen without authentication
   * @param {boolean} isShared consoles are at a second replica, on the same Redis
   */
  static async open(isOpen = false, isShared = false) {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-figures-'));
    const observers = Array.from({ length: OBSERVERS }, (_unused, at) => `observer${at}`);
    const entries = [entryOf('caller', SEND), ...observers.map((name) => entryOf(name, OBSERVE))];
    const secured = { API_KEYS: entries.join('\n'), SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}` };
    const rate = '99999999/999999';
    const quotas = { QUOTA_LIVE_TASKS: '1000000', QUOTA_WAITING_TASKS: '1000000' };
    const limits = { RATE_WRITE: rate, RATE_READ: rate, RATE_ADDRESS: rate, ...quotas };
    const variables = { DATA_DIR: dataDir, CONSOLE: 'on', DEFAULT_SKILL: 'quick', AUDIT_LOG: '/dev/null', ...limits };
    const redis = isShared ? await startEmbeddedRedis(dataDir) : undefined;
    const all = { ...variables, ...(isOpen ? {} : secured), ...(redis && { REDIS_URL: redis.url }) };
    const service = new ServiceProcess(all, PROGRAM);
    const replica = isShared ? new ServiceProcess(all, PROGRAM) : service;
    return new Lab({
      address: await service.ready(),
      consoles: await replica.ready(),
      service,
      replica,
      redis,
      dataDir,
      isOpen,
    });
  }

  /** @param of `consoles`: the address of the replica that consoles ask */
  constructor(of) {
    Object.assign(this, of);
    this.agent = new Agent({ connections: 128, headersTimeout: 0, bodyTimeout: 0 });
  }

  async close() {
    await this.agent.destroy();
    for (const process of new Set([this.replica, this.service])) await process.stop('SIGINT');
    await this.redis?.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Sends a message; resolves with its task. */
  async send(skillId, text, isBlocking = false) {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    const params = { message, metadata: { skillId }, configuration: { returnImmediately: !isBlocking } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
    const response = await this.fetch('/', 'caller', { method: 'POST', body, headers: { 'a2a-version': '1.0' } });
    const { result, error } = await response.json();
    if (error !== undefined) throw new Error(error.message);
    return result.task;
  }

  /** Sends so many messages, some at a time. */
  async sendMany(count, skillId, atOnce = 32) {
    let left = count;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        await this.send(skillId, 'x');
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  fetch(path, who, { headers, at = this.address, ...init } = {}) {
    const key = this.isOpen ? {} : { 'x-api-key': `${who}.secret` };
    const all = { 'content-type': 'application/json', ...key, ...headers };
    return fetch(at + path, { ...init, headers: all, dispatcher: this.agent });
  }

  async json(path, who, body) {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await this.fetch(`/console/api${path}`, who, init);
    return { status: response.status, body: await response.json() };
  }

  /** Opens feeds of consoles; resolves with the function that closes them. @param onFrame is called with the text of each */
  async openFeeds(count, onFrame = () => undefined) {
    const end = new globalThis.AbortController();
    const reading = [];
    for (let at = 0; at < count; at += 1) {
      const response = await this.fetch('/console/api/feed', observer(at), { signal: end.signal, at: this.consoles });
      if (response.status !== 200) throw new Error(`A feed was refused: ${await response.text()}`);
      reading.push(readEvents(response, onFrame).catch(() => undefined));
    }
    return async () => {
      end.abort();
      await Promise.all(reading);
    };
  }

  /** Opens feeds that a thread of its own reads; resolves with the function that closes them. */
  async openFeedsApart(count) {
    const readers = Array.from({ length: count }, (_unused, at) => ({ 'x-api-key': `${observer(at)}.secret` }));
    const workerData = { url: `${this.consoles}/console/api/feed`, readers };
    const thread = new Worker(new URL('./readers.mjs', import.meta.url), { workerData });
    await once(thread, 'message');
    return () => thread.terminate();
  }

  /** Seconds of processor time of the service so far. */
  async cpuSeconds() {
    const text = await readFile(`/proc/${this.service.child.pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  }
}

/** A Redis as the service starts it, for several processes. */
async function startEmbeddedRedis(dataDir) {
  const embedded = await import('../../../dist/platform/redis/embedded/embedded-redis.js');
  return embedded.startEmbeddedRedis({ dataDir });
}

async function readEvents(response, onFrame) {
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) onFrame(line.slice(6));
  }
}

/** Who opens the feed of this number. */
function observer(at) {
  return `observer${String(Math.floor(at / 9) % OBSERVERS)}`;
}

function entryOf(name, scopes) {
  const digest = createHash('sha256').update(`${name}.secret`).digest('hex');
  return [name, 'acme', name, scopes.replaceAll(' ', ','), digest].join(':');
}

/** The value that `share` of all do not exceed. @param {readonly number[]} values */
export function percentile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values) {
  return percentile(values, 0.5);
}
