import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GcraStore } from '../../../../src/limits/rates/gcra.store.js';
import { CommandRedis } from '../../../../src/platform/redis/connection/connections.js';
import type { Receiver } from '../../../integration/webhooks/receiver.js';
import { eventually } from '../../run/eventually.js';
import type { RedisTopology } from './redis-topology.js';
import { aMessage, type RpcClient } from '../../callers/rpc-client.js';
import { TOPOLOGY_START_MS, TwoServices } from '../../app/two-services.js';
import { settingsFile } from '../../app/settings-file.js';

const run = promisify(execFile);
const SECRET_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const FAILOVER = { timeoutMs: 120_000, intervalMs: 100 };

/**
 * The facts that hold on every arrangement of servers, however REDIS_URL spells it.
 * @param more registers further facts, which come before one of the servers is killed
 */
export function factsOn<R extends RedisTopology>(start: () => Promise<R>, more?: (redis: () => R) => void): void {
  let both: TwoServices<R>;
  let redis: R;
  let receiver: Receiver;
  let one: RpcClient;
  let other: RpcClient;

  beforeAll(async () => {
    const variables = {
      SECRET_KEYS,
      REDIS_WAIT_REPLICAS: '1',
      PARLEY_FILE: settingsFile({ redis: { waitMs: 1_000 } }),
    };
    both = await TwoServices.start(start, { variables });
    ({ redis, receiver, one, other } = both);
  }, TOPOLOGY_START_MS);

  afterAll(() => both.close(), TOPOLOGY_START_MS);

  async function stateOf(id: string): Promise<string> {
    return (await other.task('GetTask', { id })).status.state;
  }

  /** Of a Cluster only one primary has lost its replica. */
  async function firstRefused(): Promise<{ message: ReturnType<typeof aMessage>; refusal: Response }> {
    return eventually(async () => {
      const message = aMessage('again and again', { skillId: 'echo' });
      const refusal = await one.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message });
      expect(refusal.status).toBe(503);
      return { message, refusal };
    }, FAILOVER);
  }

  it('runs tasks in every shard, and lists them all from another process', async () => {
    const texts = Array.from({ length: 40 }, (_unused, at) => `hello ${at}`);
    const tasks = await Promise.all(
      texts.map((text) => one.task('SendMessage', aMessage(text, { skillId: 'echo', contextId: 'many' }))),
    );
    expect(tasks.map(({ artifacts }) => artifacts?.[0]?.parts)).toEqual(texts.map((text) => [{ text }]));
    const { result } = await other.call('ListTasks', { contextId: 'many', pageSize: 15 });
    expect(result).toMatchObject({ totalSize: 40 });
    expect(result?.tasks).toHaveLength(15);
    const states = await Promise.all(tasks.map(({ id }) => stateOf(id)));
    expect(new Set(states)).toEqual(new Set(['TASK_STATE_COMPLETED']));
  }, 30_000);

  it('streams, cancels from another process, and tells webhooks', async () => {
    const events = [];
    for await (const event of one.stream('SendStreamingMessage', aMessage('1', { skillId: 'countdown' })))
      events.push(event);
    expect(events.map(({ id }) => Number.parseInt(id ?? '', 10))).toEqual(events.map((_event, at) => at + 1));
    expect(JSON.stringify(events.at(-1)?.data.result)).toContain('TASK_STATE_COMPLETED');

    const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: receiver.url } };
    const { id } = await one.task('SendMessage', { ...aMessage('60', { skillId: 'countdown' }), configuration });
    await eventually(async () => expect(await stateOf(id)).toBe('TASK_STATE_WORKING'));
    expect((await other.task('CancelTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
    // An attempt that a busy machine lets time out is repeated only seconds later.
    await eventually(() => expect(receiver.states).toContain('TASK_STATE_CANCELED'), FAILOVER);
  }, 60_000);

  it('shares rates among processes, and answers the operator', async () => {
    const buckets = both.apps.map(({ app }) => new GcraStore(app.get<CommandRedis>(CommandRedis)));
    const bucket = randomUUID();
    const rate = { name: 'write', limit: 1, periodSeconds: 60, burst: 10 } as const;
    const asked = Array.from({ length: 30 }, async (_unused, at) =>
      buckets[at % 2]?.spend(`${redis.keyPrefix}:rate:${bucket}`, rate, 1),
    );
    const decisions = await Promise.all(asked);
    expect(decisions.filter((decision) => decision?.isAllowed)).toHaveLength(10);

    const [tasks, doctor] = await Promise.all([
      parley(redis, 'tasks', '--limit', '1'),
      parley(redis, 'doctor', '--url', both.apps[0].url),
    ]);
    expect(JSON.parse(tasks)).toMatchObject({ total: 42, tasks: [{}] });
    const { findings } = JSON.parse(doctor) as {
      findings: readonly { check: string; severity: string; text: string }[];
    };
    const ofRedis = findings.filter(({ check, severity }) => check === 'redis' && severity !== 'warn');
    expect(ofRedis).toMatchObject([{ severity: 'ok', text: expect.stringContaining('answers in') }]);
  }, 30_000);

  more?.(() => redis);

  it('loses nothing that it acknowledged when a primary is killed, and acknowledges only what is replicated', async () => {
    const ids: string[] = [];
    let stopped = false;
    const caller = async (): Promise<void> => {
      while (!stopped) {
        const message = aMessage('one for the road', { skillId: 'echo' });
        const configuration = { returnImmediately: true };
        const task = await one.task('SendMessage', { ...message, configuration }).catch(() => undefined);
        if (task !== undefined) ids.push(task.id);
      }
    };
    const callers = [caller(), caller(), caller()];
    await eventually(() => expect(ids.length).toBeGreaterThan(100), FAILOVER);
    await redis.lose();
    stopped = true;
    await Promise.all(callers);
    for (const id of ids)
      await eventually(async () => expect(await stateOf(id)).toBe('TASK_STATE_COMPLETED'), FAILOVER);

    // Nobody stands behind the new primary yet: what it takes is kept, and not acknowledged.
    const { message, refusal } = await firstRefused();
    expect(refusal.headers.get('retry-after')).toBe('2');

    await redis.restore();
    const answer = await eventually(() => one.task('SendMessage', message), FAILOVER);
    expect(answer.artifacts?.[0]?.parts).toEqual([{ text: 'again and again' }]);
    const { result } = await other.call('ListTasks', { contextId: answer.contextId });
    expect(result).toMatchObject({ totalSize: 1 });
  }, 90_000);
}

/** What the operator's command prints, whatever it thinks of the configuration of a test. */
async function parley({ url, keyPrefix }: RedisTopology, ...args: string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, REDIS_URL: url, KEY_PREFIX: keyPrefix };
  const command = run(process.execPath, ['dist/cli/parley.js', 'ops', '--json', ...args], { env });
  const { stdout } = await command.catch((error: unknown) => error as { stdout: string });
  return stdout;
}
