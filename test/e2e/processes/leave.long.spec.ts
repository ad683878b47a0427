import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceProcess } from '../../kit/app/service-process.mjs';
import { eventually } from '../../kit/run/eventually.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { aMessage, RpcClient, type SseEvent } from '../../kit/callers/rpc-client.js';

const LEAVE_DELAY_MS = 1_500;
const DRAIN_MS = 500;
/** What the service allows itself beyond both. */
const CLOSE_MS = 5_000;
/** Start to end of a file's processes on a busy machine. */
const TIMEOUT_MS = 120_000;

let redis: RedisServer;
let services: ServiceProcess[];
let keyPrefix: string;

beforeAll(async () => {
  services = [];
  redis = await RedisServer.start();
}, TIMEOUT_MS);

beforeEach(() => {
  keyPrefix = `test-${randomUUID()}`;
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await redis.stop();
}, TIMEOUT_MS);

/** Processes of these roles that share their tasks with those started before in the same test. */
async function startAll(...roles: string[]): Promise<{ service: ServiceProcess; url: string }[]> {
  const shared = { REDIS_URL: redis.url, KEY_PREFIX: keyPrefix, LOG_LEVEL: 'info', AUDIT_LOG: '/dev/null' };
  const times = { LEAVE_DELAY_MS: String(LEAVE_DELAY_MS), DRAIN_MS: String(DRAIN_MS) };
  const started = roles.map((ROLE) => new ServiceProcess({ ...shared, ...times, ROLE }));
  services.push(...started);
  return Promise.all(started.map(async (service) => ({ service, url: await service.ready() })));
}

/** The whole text of a task's stream, as it came. */
async function textOf(url: string, method: string, params: unknown): Promise<string> {
  const response = await new RpcClient(url).post({ jsonrpc: '2.0', id: 1, method, params });
  return response.text();
}

/** Resolves when the skill has begun to count. */
async function isCounting(url: string, id: string): Promise<void> {
  const client = new RpcClient(url);
  await eventually(async () => expect((await client.task('GetTask', { id })).artifacts).toHaveLength(1), {
    timeoutMs: 20_000,
  });
}

/** The next event that begins an artifact; the stream stays open. */
async function beginning(stream: AsyncGenerator<SseEvent>): Promise<string> {
  for (;;) {
    const { value, done } = await stream.next();
    if (done === true) throw new Error('The stream ended before a run had begun');
    const text = JSON.stringify(value.data);
    if (text.includes('artifactUpdate') && !text.includes('"append":true')) return text;
  }
}

async function idOf(url: string): Promise<string> {
  const { task } = (await new RpcClient(url).call('SendMessage', slowMessage())).result ?? {};
  return task?.id ?? '';
}

function slowMessage(): object {
  return { ...aMessage('60', { skillId: 'countdown' }), configuration: { returnImmediately: true } };
}

describe('a replica that is told to leave (SIGTERM)', () => {
  it(
    'serves until its delay is over, then ends streams without a terminal event and answers who waits',
    async () => {
      const [leaver, stayer] = await startAll('api', 'api', 'worker');
      const id = await idOf(leaver!.url);
      const stream = textOf(leaver!.url, 'SubscribeToTask', { id });
      const waiting = new RpcClient(leaver!.url).task('SendMessage', aMessage('60', { skillId: 'countdown' }));
      await isCounting(leaver!.url, id);

      const exit = leaver!.service.stop('SIGTERM');
      const told = Date.now();
      const ready = await eventually(async () => {
        const response = await fetch(`${leaver!.url}/health/ready`);
        expect(response.status).toBe(503);
        // Who keeps this connection would meet the end of the process on it.
        expect(response.headers.get('connection')).toBe('close');
        return response.json();
      });
      expect(ready).toMatchObject({ details: { process: { status: 'down', stage: 'draining' } } });
      const [late, served, live] = await Promise.all([
        textOf(leaver!.url, 'SubscribeToTask', { id }),
        new RpcClient(leaver!.url).task('SendMessage', aMessage('still here', { skillId: 'echo' })),
        fetch(`${leaver!.url}/health/live`),
      ]);
      expect(Date.now() - told).toBeGreaterThanOrEqual(LEAVE_DELAY_MS - 100);
      expect([served.status.state, live.status]).toEqual(['TASK_STATE_COMPLETED', 200]);

      for (const text of [await stream, late]) {
        expect(text).toMatch(/\nretry: \d+\n/);
        expect(text).not.toMatch(/COMPLETED|CANCELED|FAILED|"error"/);
      }
      expect((await waiting).status.state).toBe('TASK_STATE_WORKING');
      expect(await exit).toBe(0);

      const lastEventId = /.*\nid: (\S+)\n/s.exec(await stream)?.[1] ?? '';
      const resumed = new RpcClient(stayer!.url).stream('SubscribeToTask', { id }, { 'last-event-id': lastEventId });
      expect(((await resumed.next()).value as SseEvent).id).toBe(lastEventId);
      const { value: next } = (await resumed.next()) as { value: SseEvent };
      expect(Number.parseInt(next.id ?? '', 10)).toBe(Number.parseInt(lastEventId, 10) + 1);
      await resumed.return(undefined);
      await new RpcClient(stayer!.url).task('CancelTask', { id });
    },
    TIMEOUT_MS,
  );
});

describe('a worker that is told to leave (SIGTERM)', () => {
  it(
    'gives its skill the drain time, then hands the task to another worker at once',
    async () => {
      const [api, leaver] = await startAll('api', 'worker');
      const id = await idOf(api!.url);
      const stream = new RpcClient(api!.url).stream('SubscribeToTask', { id });
      await isCounting(api!.url, id);
      await startAll('worker');

      const told = Date.now();
      const exit = leaver!.service.stop('SIGTERM');
      expect(await beginning(stream)).toContain('60');
      const took = Date.now() - told;
      await stream.return(undefined);

      expect(took).toBeGreaterThanOrEqual(DRAIN_MS - 100);
      // A worker that crashed would be missed 3 s later.
      expect(took).toBeLessThan(DRAIN_MS + 2_500);
      expect(await exit).toBe(0);
      expect(leaver!.service.output.join('\n')).toMatch(/"skill.ran".*"ending":"leaving"/);
      await new RpcClient(api!.url).task('CancelTask', { id });
    },
    TIMEOUT_MS,
  );
});

describe('a process that is told to leave while Redis is away', () => {
  it(
    'ends at its deadline at the latest, whatever hangs',
    async () => {
      const [all] = await startAll('all');
      await idOf(all!.url);
      await redis.kill();

      const told = Date.now();
      await all!.service.stop('SIGTERM');
      expect(Date.now() - told).toBeLessThan(LEAVE_DELAY_MS + DRAIN_MS + CLOSE_MS + 500);
      await redis.launch();
    },
    TIMEOUT_MS,
  );
});
