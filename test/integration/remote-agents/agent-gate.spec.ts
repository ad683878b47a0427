import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { RemoteError, type RemoteErrorKind } from '@parley/client/http/remote-errors.js';
import { AgentMetrics } from '../../../src/remote-agents/directory/agent.metrics.js';
import { AgentGate } from '../../../src/remote-agents/directory/agent-gate.js';
import { RemoteKeys } from '../../../src/remote-agents/directory/remote.keys.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

const AGENT = { name: 'finance', maxInFlight: 20 };

let redis: RedisClient;
/** Time goes on without waiting. */
const clock = { aheadMs: 0 };
/** One gate a replica. */
let gates: readonly AgentGate[];
let metrics: readonly Metrics[];
let calls: number;

const gate = (replica: number): AgentGate => gates[replica % gates.length]!;

/** Calls the agent, which answers so; resolves with how that came out. */
function call(replica: number, answer: RemoteErrorKind | 'ok', details = {}): Promise<string> {
  const attempt = async (): Promise<string> => {
    calls += 1;
    if (answer !== 'ok') throw new RemoteError(answer, 'no', details);
    return 'ok';
  };
  return gate(replica)
    .pass(AGENT, attempt)
    .catch((error: unknown) => (error as RemoteError).kind);
}

async function trip(): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) await call(attempt, 'unreachable');
}

describe(AgentGate.name, () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
    redis = connect(testRedisUrl(), 'command');
  });

  afterAll(() => {
    redis.disconnect();
  });

  beforeEach(() => {
    const keys = new RemoteKeys(`test-${randomUUID()}`);
    metrics = [1, 2, 3].map(() => new Metrics());
    gates = metrics.map((own) => new AgentGate(redis, keys, new AgentMetrics(own), clock));
    calls = 0;
  });

  it('O-76, SEED-45: an agent that is dead is left alone by all replicas, but one probe after each pause', async () => {
    await trip();
    expect(calls).toBe(5);
    for (const [pauseMs, probes] of [
      [5000, 5],
      [5001, 6],
      [10_000, 6],
      [10_001, 7],
    ] as const) {
      clock.aheadMs += pauseMs;
      await Promise.all(Array.from({ length: 12 }, (_unused, at) => call(at, 'timeout')));
      expect(calls).toBe(probes);
    }
  });

  it('closes by itself when the probe succeeds, and says meanwhile how long it is closed', async () => {
    await trip();
    const refused = await gate(0)
      .pass(AGENT, async () => 'called')
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'left-alone', isRetryable: true, isDoubtful: false });
    expect((refused as RemoteError).retryAfterMs).toBeGreaterThan(9000);
    clock.aheadMs += 10_001;
    expect(await call(1, 'ok')).toBe('ok');
    expect(await Promise.all([call(0, 'ok'), call(1, 'ok'), call(2, 'ok')])).toEqual(['ok', 'ok', 'ok']);
  });

  it('says what a probe will find after about as long as calls take, and not when it would be lost', async () => {
    await trip();
    clock.aheadMs += 10_001;
    const release: (() => void)[] = [];
    const probe = gate(0).pass(AGENT, () => new Promise<void>((resolve) => release.push(resolve)));
    await eventually(() => expect(release).toHaveLength(1));
    const refused = await gate(1)
      .pass(AGENT, async () => 'called')
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'left-alone', retryAfterMs: 1000 });
    for (const end of release) end();
    await probe;
    expect(await call(1, 'ok')).toBe('ok');
  });

  it('the next call is a probe where one has found nothing out', async () => {
    await trip();
    clock.aheadMs += 10_001;
    const cut = gate(0).pass(AGENT, async () => {
      throw new Error('not a fault of the agent');
    });
    await expect(cut).rejects.toThrow('not a fault');
    expect(await call(1, 'ok')).toBe('ok');
    expect(await gate(2).isOpen('finance')).toBe(false);
  });

  it('frees the slots of a process that has died after 15 s, and holds those of a call that goes on (B1)', async () => {
    const ends: (() => void)[] = [];
    const hanging = (): Promise<void> => gate(0).pass(AGENT, () => new Promise<void>((resolve) => ends.push(resolve)));
    const all = Promise.all(Array.from({ length: 10 }, hanging));
    await eventually(() => expect(ends).toHaveLength(10));
    expect(await call(1, 'ok')).toBe('busy');
    clock.aheadMs += 14_000;
    await gate(0).renew();
    clock.aheadMs += 14_000;
    expect(await call(1, 'ok')).toBe('busy');
    clock.aheadMs += 1_001;
    expect(await call(1, 'ok')).toBe('ok');
    for (const end of ends) end();
    await all;
  });

  it('holds the others back for as long as the probe goes on, and 15 s behind the death of its process (B1)', async () => {
    await trip();
    clock.aheadMs += 10_001;
    const ends: (() => void)[] = [];
    const probe = gate(0).pass(AGENT, () => new Promise<void>((resolve) => ends.push(resolve)));
    await eventually(() => expect(ends).toHaveLength(1));
    clock.aheadMs += 14_000;
    await gate(0).renew();
    clock.aheadMs += 14_000;
    expect(await call(1, 'ok')).toBe('left-alone');
    clock.aheadMs += 1_001;
    expect(await call(1, 'ok')).toBe('ok');
    for (const end of ends) end();
    await probe;
  });

  it.each([
    ['a refusal', 'refused', { status: 400 }],
    ['wrong credentials', 'auth', { status: 401 }],
    ['too many requests', 'busy', { status: 429 }],
  ] as const)('%s says that the agent is alive', async (_what, kind, details) => {
    for (let attempt = 0; attempt < 12; attempt += 1) expect(await call(attempt, kind, details)).toBe(kind);
    expect(await call(0, 'ok')).toBe('ok');
  });

  it('SEED-46: leaves an agent alone that asks for time, for all calls of all replicas', async () => {
    const asked = await call(0, 'busy', { status: 429, retryAfterMs: 20_000 });
    expect(asked).toBe('busy');
    const refused = await gate(1)
      .pass(AGENT, async () => 'called')
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'busy', isRetryable: true, isDoubtful: false, status: undefined });
    expect((refused as RemoteError).retryAfterMs).toBeGreaterThan(19_000);
    expect((refused as RemoteError).retryAfterMs).toBeLessThanOrEqual(20_000);
    clock.aheadMs += 19_000;
    expect(await call(2, 'ok')).toBe('busy');
    expect(calls).toBe(1);
    clock.aheadMs += 1001;
    expect(await call(2, 'ok')).toBe('ok');
  });

  it('a shorter time that another call is asked for does not end a longer one', async () => {
    const release: (() => void)[] = [];
    const under = gate(0)
      .pass(AGENT, async () => {
        await new Promise<void>((resolve) => release.push(resolve));
        throw new RemoteError('busy', 'no', { status: 503, retryAfterMs: 1000 });
      })
      .catch((error: unknown) => error);
    await eventually(() => expect(release).toHaveLength(1));
    await call(1, 'busy', { status: 503, retryAfterMs: 60_000 });
    for (const end of release) end();
    await under;
    clock.aheadMs += 30_000;
    expect(await call(2, 'ok')).toBe('busy');
  });

  it('counts calls by agent and outcome, changes of the breaker, and what is under way', async () => {
    await trip();
    const text = (await Promise.all(metrics.map(({ registry }) => registry.metrics()))).join('\n');
    const sum = (name: string): number =>
      text
        .split('\n')
        .filter((line) => line.startsWith(name))
        .reduce((all, line) => all + Number(line.split(' ').at(-1)), 0);
    expect(sum('a2a_agent_call_duration_seconds_count{agent="finance",outcome="unreachable"}')).toBe(5);
    expect(sum('a2a_agent_call_duration_seconds_count{agent="finance",outcome="left-alone"}')).toBe(5);
    expect(sum('a2a_agent_breaker_changes_total{agent="finance",change="opened"}')).toBe(1);
    expect(await gate(0).isOpen('finance')).toBe(true);
    expect(await gate(0).underWay('finance')).toBe(0);
  });

  it('lets so many calls through at once over all replicas, and says when to come back', async () => {
    const open: (() => void)[] = [];
    const hold = (replica: number): Promise<void> =>
      gate(replica).pass({ ...AGENT, maxInFlight: 2 }, () => new Promise<void>((resolve) => open.push(resolve)));
    const held = [hold(0), hold(1)];
    await eventually(() => expect(open).toHaveLength(2));
    const refused = await hold(2).catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'busy', isRetryable: true, isDoubtful: false });
    expect(open).toHaveLength(2);
    for (const end of open) end();
    await Promise.all(held);
    const third = gate(2).pass({ ...AGENT, maxInFlight: 2 }, async () => 'through');
    expect(await third).toBe('through');
  });
});
