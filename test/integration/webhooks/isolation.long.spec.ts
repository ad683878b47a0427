import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../kit/run/eventually.js';
import { chunkOf, COMPLETED, PushBench } from './push-bench.js';
import { answer, type Behaviour, Receiver } from './receiver.js';

/** Long enough for all of the healthy receiver's events to come before the first hanging attempt ends. */
const DEADLINES = { dns: 2000, connect: 3000, headers: 12_000, total: 12_000 };
const TASKS = 6;
const CHUNKS = 6;

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'answers 500': answer(500),
  'answers 429': answer(429, { 'retry-after': '30' }),
  'answers 410': answer(410),
  'answers 302': answer(302, { location: 'http://localhost:1/' }),
  hangs: () => undefined,
  drips: (_request, response) => {
    const drip = setInterval(() => response.write('.'), 100);
    response.on('close', () => {
      clearInterval(drip);
    });
  },
  'never ends': (_request, response) => {
    response.writeHead(500);
    const pump = setInterval(() => response.write(Buffer.alloc(65_536)), 1);
    response.on('close', () => {
      clearInterval(pump);
    });
  },
  resets: (_request, response) => {
    response.destroy();
  },
};

describe('receivers that misbehave', () => {
  let bench: PushBench;
  let healthy: Receiver;
  const bad: Receiver[] = [];

  beforeAll(async () => {
    healthy = await new Receiver().listen();
    for (const behave of Object.values(BEHAVIOURS)) bad.push(await new Receiver(behave).listen());
    bench = await PushBench.start({ receivers: [healthy, ...bad], deadlines: DEADLINES });
  });
  afterAll(async () => {
    await bench.close();
    await Promise.all([healthy, ...bad].map((receiver) => receiver.close()));
  });

  it('delay no other receiver, whose events come in order and in time (A2A-PN-08)', async () => {
    const broken = bad.map(({ url }) => url);
    const writeTask = async (): Promise<void> => {
      const run = await bench.task({ url: healthy.url });
      for (const url of broken) await bench.register(run.taskId, { url });
      for (let n = 0; n < CHUNKS; n += 1) await bench.commit(run, chunkOf(String(n), n === 0 ? 'first' : 'next'));
      await bench.commit(run, COMPLETED);
    };
    const began = Date.now();
    await Promise.all(Array.from({ length: TASKS }, writeTask));

    const each = CHUNKS + 3;
    await eventually(() => expect(healthy.received).toHaveLength(TASKS * each), { timeoutMs: 20_000 });
    expect(Date.now() - began).toBeLessThan(DEADLINES.headers);
    for (const seqs of seqsByTask(healthy).values()) {
      expect(seqs).toEqual(Array.from({ length: each }, (_unused, n) => n + 1));
    }
  }, 60_000);

  it('are each dealt with as they deserve', async () => {
    const expected = {
      'answers 500': ['http_500'],
      'answers 429': ['http_429'],
      'answers 410': ['http_410'],
      'answers 302': ['http_302'],
      hangs: ['timeout'],
      drips: ['timeout'],
      'never ends': ['http_500'],
      resets: ['reset'],
    };
    await eventually(() => expect(reasonsByBehaviour()).toEqual(expected), { timeoutMs: 20_000 });
  }, 30_000);

  function reasonsByBehaviour(): Readonly<Record<string, readonly string[]>> {
    const entries = Object.keys(BEHAVIOURS).map((name, n) => {
      const lines = bench.lines.filter(({ origin }) => new URL(origin).host === bad[n]?.host);
      return [name, [...new Set(lines.map(({ reason }) => reason ?? 'delivered'))]];
    });
    return Object.fromEntries(entries) as Record<string, string[]>;
  }
});

function seqsByTask(receiver: Receiver): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const { headers, seq } of receiver.received) {
    const task = String(headers['x-a2a-task-id']);
    groups.set(task, [...(groups.get(task) ?? []), seq]);
  }
  return groups;
}
