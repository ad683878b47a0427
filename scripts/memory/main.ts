/**
 * Whether one client ends a process that has the memory of the chart: `npm run bench -- memory [bodies|grpc|reads|blocking|webhooks …]`.
 * Starts a Redis, and api, worker and dispatcher each in a memory cgroup of the chart's limit (needs root), and ends them.
 * Exits with 1 where the kernel ended one, or another tenant's GetTask took more than five times as long as before.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { percentile } from '../chaos/check/figures.js';
import { type Call, headersOf, readInLoop, unfinishedBodies, unfinishedMessages, unreadAnswers } from './attacks.js';
import { Fleet, KEYS } from './fleet.js';
import { hasMemoryGroups } from './memory-group.js';

const BODIES = 200;
const MESSAGES = 60;
const READS = 50;
const LOOPS = 8;
const CALLS = 20;
const ATTACK_MS = 15_000;
const QUIET_MS = 5_000;
const RECEIVER_BYTES_PER_S = 100_000;
const DELIVERY_MS = 60_000;
const MAX_FACTOR = 5;
const FILE = 'A'.repeat(9_700_000);
const PATHS = ['/', '/run', '/mcp', '/message:send', '/console/api/tasks', '/registry/entries', '/nothing/here'];

type Attack = (fleet: Fleet) => Promise<void>;

const attacks: Readonly<Record<string, Attack>> = {
  bodies: (fleet) => during(fleet, () => unfinishedBodies(fleet.target('greedy'), PATHS, BODIES)),
  'bodies without a scope': (fleet) => during(fleet, () => unfinishedBodies(fleet.target('none'), PATHS, BODIES)),
  grpc: (fleet) => during(fleet, () => unfinishedMessages(fleet.grpc, KEYS.greedy, MESSAGES)),
  reads: async (fleet) => {
    const calls = readsOf(await fleet.largeTask('greedy', FILE));
    await during(fleet, () => unreadAnswers(fleet.target('greedy'), calls, READS));
  },
  'reads in a loop': async (fleet) => {
    const call = getTask(await fleet.largeTask('greedy', FILE));
    await during(fleet, () => {
      const end = readInLoop(fleet.target('greedy'), call, LOOPS);
      return async () => console.log('  answers by status:', Object.fromEntries(await end()));
    });
  },
  'blocking calls': (fleet) => during(fleet, () => unreadAnswers(fleet.target('greedy'), blockingCalls(), CALLS)),
  webhooks,
};

const chosen = process.argv.slice(2);
if (!hasMemoryGroups()) throw new Error('This needs root, and control groups of memory that it can make.');
let failures = 0;
for (const [name, attack] of Object.entries(attacks)) {
  if (chosen.length > 0 && !chosen.some((one) => name.startsWith(one))) continue;
  console.log(name);
  const receiver = await slowReceiver();
  const fleet = await Fleet.start(receiver.address);
  try {
    await attack(fleet);
  } finally {
    const { killed, text } = fleet.memory();
    console.log(`  ${text}`);
    failures += killed;
    await fleet.stop();
    receiver.close();
  }
}
console.log(failures === 0 ? 'All bounds hold.' : `${String(failures)} bounds do not hold.`);
process.exit(failures === 0 ? 0 : 1);

/** Reads of the other tenant before and during an attack. */
async function during(fleet: Fleet, begin: () => (() => void) | (() => Promise<unknown>)): Promise<void> {
  const id = await fleet.send('modest', 'hello');
  const workerData = { url: `${fleet.url}/tasks/${id}`, headers: headersOf(KEYS.modest) };
  const probe = new Worker(new URL('./probe.mjs', import.meta.url), { workerData });
  await readFor(probe, 2_000);
  const before = await readFor(probe, QUIET_MS);
  const end = begin();
  const meanwhile = await readFor(probe, ATTACK_MS);
  await end();
  await probe.terminate();
  const [quiet, busy] = [before.times, meanwhile.times].map((times) => percentile(times, 0.99)) as [number, number];
  const isFast = busy <= Math.max(MAX_FACTOR * quiet, 50);
  const refusals = [...before.refused, ...meanwhile.refused];
  if (!isFast || refusals.length > 0) failures += 1;
  console.log(
    `  GetTask of another tenant, p99: ${quiet.toFixed(1)} ms before, ${busy.toFixed(1)} ms meanwhile ` +
      `(${(busy / quiet).toFixed(1)} times, at most ${String(MAX_FACTOR)} or 50 ms), ` +
      `refused: ${refusals.join(' ') || 'none'}`,
  );
}

interface Readings {
  readonly times: readonly number[];
  readonly refused: readonly string[];
}

async function readFor(probe: Worker, ms: number): Promise<Readings> {
  probe.postMessage(ms);
  const [readings] = (await once(probe, 'message')) as [Readings];
  return readings;
}

function rpc(method: string, params: object): Call {
  return { method: 'POST', path: '/', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) };
}

function getTask(id: string): Call {
  return rpc('GetTask', { id });
}

/** The ways to read a whole task. */
function readsOf(id: string): readonly Call[] {
  return [
    getTask(id),
    { method: 'GET', path: `/tasks/${id}`, body: '' },
    rpc('SubscribeToTask', { id }),
    rpc('ListTasks', { historyLength: 100, includeArtifacts: true }),
    { method: 'GET', path: `/v1/tasks/${id}`, body: '' },
    { method: 'GET', path: `/console/api/tasks/${id}/content`, body: '' },
    { method: 'GET', path: `/console/api/tasks/${id}/bundle/content`, body: '' },
  ];
}

/** Calls that wait for a skill that takes longer than the attack; their messages are large. */
function blockingCalls(): readonly Call[] {
  return Array.from({ length: CALLS }, () => {
    const parts = [{ text: `60 ${FILE}` }];
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts, metadata: { skillId: 'countdown' } };
    return rpc('SendMessage', { message, configuration: { historyLength: 0 } });
  });
}

async function webhooks(fleet: Fleet): Promise<void> {
  const url = `http://${fleet.receiver}/`;
  await during(fleet, () => {
    for (let task = 0; task < 6; task += 1) void fleet.sendWithWebhooks('greedy', FILE, url, 6).catch(console.log);
    return () => undefined;
  });
  await pause(DELIVERY_MS - ATTACK_MS);
}

interface Receiver {
  readonly address: string;
  close(): void;
}

/** Takes 100 kB a second of each body. */
async function slowReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    void (async () => {
      for await (const piece of request) await pause(((piece as Buffer).length / RECEIVER_BYTES_PER_S) * 1000);
      response.writeHead(204).end();
    })().catch(() => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `localhost:${String((server.address() as AddressInfo).port)}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
