import { Redis } from 'ioredis';
import { percentile } from '../../chaos/check/figures.js';
import type { BenchCase } from '../bench-case.js';
import type { Lab, Load } from '../system/lab.js';
import { withReaders } from '../load/with-readers.js';
import { RATE, Rounds, warmUp } from '../report/rounds.js';
import { aMessage, rpcBody, sendBody } from '../load/rpc.js';
import { weighStreams } from '../report/stream-weight.js';
import type { System, SystemName } from '../system/system.js';
import { settingsFile } from '../../../test/kit/app/settings-file.js';

const REVISION = '2026-07-28';
/** Beside the official SDK's server, which has as many tools and stores nothing. */
const BOTH: readonly SystemName[] = ['parley', 'sdk-mcp'];
const CONNECTIONS = 32;

/** A request of the stateless revision. */
function mcpLoad(method: string, params: object, named: { readonly name?: string; readonly expected: string }): Load {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  return {
    ...{ path: '/mcp', connections: CONNECTIONS, expected: named.expected },
    body: rpcBody(method, { ...params, _meta }),
    headers: {
      ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': REVISION, 'mcp-method': method },
      ...(named.name === undefined ? {} : { 'mcp-name': named.name }),
    },
  };
}

function callLoad(name: string): Load {
  const params = { name, arguments: { text: 'Hello' } };
  return mcpLoad('tools/call', params, { name, expected: '"text":"Hello"' });
}

/** The variables of a service with this many tools at its MCP endpoint. */
const toolsOf = (count: number): Readonly<Record<string, string>> => ({
  ...{
    MCP: 'true',
    PARLEY_FILE: settingsFile({ mcp: { taskTools: false } }),
    BENCH_TOOLS: String(count),
    MCP_TOOLS: String(count),
  },
});

const LISTS = [
  { count: 3, atLeast: 3 },
  { count: 50, atLeast: 10 },
] as const;
const listTitle = (count: number): string => `tools/list of ${String(count)} tools, 32 connections`;

const list: BenchCase = {
  name: 'mcp-list',
  what: 'tools/list of 3 and of 50 tools, beside the MCP SDK',
  goals: LISTS.map(({ count, atLeast }) => ({
    ...{ case: listTitle(count), figure: RATE, system: 'parley', against: 'sdk-mcp', atLeast },
  })),

  async run(lab) {
    const measures = [];
    for (const { count } of LISTS) {
      const rounds = new Rounds(listTitle(count));
      const systems = await lab.startAll(BOTH, { variables: toolsOf(count) });
      const load = mcpLoad('tools/list', {}, { expected: '"typed"' });
      await rounds.interleave(lab, new Map(systems.map((system) => [system, load])));
      measures.push(...rounds.measures);
      await lab.stopAll();
    }
    return measures;
  },
};

const callTitle = 'tools/call of a direct skill, 32 connections';

const call: BenchCase = {
  name: 'mcp-call',
  what: `${callTitle}, beside the MCP SDK`,
  goals: [
    { case: callTitle, figure: RATE, system: 'parley', against: 'sdk-mcp', atLeast: 1.5 },
    { case: callTitle, figure: 'p99, ms', system: 'parley', against: 'sdk-mcp', atMost: 1 },
  ],

  async run(lab) {
    const rounds = new Rounds(callTitle);
    const systems = await lab.startAll(BOTH, { variables: toolsOf(3) });
    await rounds.interleave(lab, new Map(systems.map((system) => [system, callLoad('direct')])));
    return rounds.measures;
  },
};

const doorTitle = 'the MCP endpoint against the same operations of A2A, 32 connections';
const SEND_TAX = 'processor time of a blocking tools/call, × that of SendMessage';
const GET_RATE = 'requests/s of tasks/get, × those of GetTask';
const GET_REDIS = 'Redis time of tasks/get, × that of GetTask';

/** Cost of the endpoint beyond the operations behind it; and of a durable task beside the SDK, which stores nothing. */
const endpoint: BenchCase = {
  name: 'mcp-door',
  what: doorTitle,
  goals: [
    { case: doorTitle, figure: SEND_TAX, system: 'parley', atMost: 1.15 },
    { case: doorTitle, figure: GET_RATE, system: 'parley', atLeast: 0.9 },
    { case: doorTitle, figure: GET_REDIS, system: 'parley', atMost: 1.1 },
  ],

  async run(lab) {
    const rounds = new Rounds(doorTitle);
    const [system, peer] = await lab.startAll(BOTH, { variables: toolsOf(3) });
    if (system === undefined) return [];
    const { task } = await system.call('SendMessage', { message: aMessage('instant') });
    const { id: taskId } = task as { readonly id: string };
    const loads = {
      send: { body: sendBody('SendMessage', 'instant'), connections: CONNECTIONS, expected: 'COMPLETED' },
      call: callLoad('instant'),
      get: { body: rpcBody('GetTask', { id: taskId }), connections: CONNECTIONS, expected: 'COMPLETED' },
      tasksGet: mcpLoad('tasks/get', { taskId }, { name: taskId, expected: '"completed"' }),
    };
    for (const load of Object.values(loads)) await warmUp(lab, system, load);
    if (peer !== undefined) await warmUp(lab, peer, callLoad('instant'));
    for (let round = 0; round < lab.effort.rounds; round += 1) {
      const [send, called] = [await costOf(lab, system, loads.send), await costOf(lab, system, loads.call)];
      const [get, got] = [await costOf(lab, system, loads.get), await costOf(lab, system, loads.tasksGet)];
      rounds.add('SendMessage, processor time, µs', 'parley', send.us);
      rounds.add('tools/call of a durable task, processor time, µs', 'parley', called.us);
      rounds.add(SEND_TAX, 'parley', called.us / send.us);
      rounds.add(GET_RATE, 'parley', got.rate / get.rate);
      rounds.add(GET_REDIS, 'parley', got.redisUs / get.redisUs);
      if (peer === undefined) continue;
      const theirs = await costOf(lab, peer, callLoad('instant'));
      rounds.add('tools/call of a durable task, processor time, µs', 'sdk-mcp', theirs.us);
    }
    return rounds.measures;
  },
};

async function costOf(lab: Lab, system: System, load: Load) {
  const before = await system.processorMs();
  const { count, seconds } = await lab.load(system, load);
  await system.quiet();
  const after = await system.processorMs();
  const redis = (after.redis ?? 0) - (before.redis ?? 0);
  const us = ((after.node - before.node + redis) * 1000) / count;
  return { us, redisUs: (redis * 1000) / count, rate: count / seconds };
}

const LISTENERS = { usual: 10_000, quick: 50 };
const POKES = { usual: 250, quick: 20 };
const listenTitle = (count: number): string => `${count.toLocaleString('en-US')} readers of tasks in one process`;
const LISTENER = 'memory of a subscriptions/listen, KiB';
const SHARE = 'memory of a subscriptions/listen, × that of an A2A stream';
/** As much; its request has more headers, and measurements of one size differ by 3 %. */
const SHARE_GOAL = 1.05;
const LAG = 'message to listener p99, ms';

/** Memory of a listener, beside a stream of A2A of the same tasks (MCP-SESSION-4). */
const listeners: BenchCase = {
  name: 'mcp-listeners',
  what: 'open subscriptions/listen of one process, beside as many streams of SubscribeToTask',
  goals: [
    { case: listenTitle(LISTENERS.usual), figure: LISTENER, system: 'parley', atMost: 20 },
    { case: listenTitle(LISTENERS.usual), figure: SHARE, system: 'parley', atMost: SHARE_GOAL },
    { case: listenTitle(LISTENERS.usual), figure: LAG, system: 'parley', atMost: 20 },
  ],

  async run(lab) {
    const size = lab.effort.quick ? 'quick' : 'usual';
    const count = LISTENERS[size];
    const rounds = new Rounds(listenTitle(count));
    const weights: number[] = [];
    for (const order of ['subscribe', 'listen'] as const) {
      const system = await lab.start('parley', { variables: { MCP: 'true' } });
      await withReaders(async (readers) => {
        const bytes = await weighStreams({ system, readers, order, count }, () => system.memory());
        weights.push(bytes / 1024);
        if (order === 'subscribe') return;
        const { url, headers } = system;
        const lags = await readers.do<number[]>({ order: 'pokeListeners', url, headers, count: POKES[size] });
        rounds.add('message to listener p50, ms', 'parley', percentile(lags, 0.5));
        rounds.add(LAG, 'parley', percentile(lags, 0.99));
      });
      await lab.stopAll();
    }
    const [stream = 0, listener = 0] = weights;
    rounds.add('memory of an A2A stream, KiB', 'parley', stream);
    rounds.add(LISTENER, 'parley', listener);
    rounds.add(SHARE, 'parley', listener / stream);
    return rounds.measures;
  },
};

const SESSIONS = { usual: 10_000, quick: 200 };
const sessionTitle = (count: number): string => `${count.toLocaleString('en-US')} sessions of 2025-11-25 at rest`;
const KEYS = 'keys in Redis for them';

/** Memory of sessions: none here, since their ids hold all; a server and a transport each at the SDK. */
const sessions: BenchCase = {
  name: 'mcp-sessions',
  what: 'sessions of 2025-11-25 at rest, beside the MCP SDK',
  goals: [
    { case: sessionTitle(SESSIONS.usual), figure: 'memory of a session, KiB', system: 'parley', atMost: 0.1 },
    { case: sessionTitle(SESSIONS.usual), figure: KEYS, system: 'parley', atMost: 0 },
  ],

  async run(lab) {
    const count = SESSIONS[lab.effort.quick ? 'quick' : 'usual'];
    const rounds = new Rounds(sessionTitle(count));
    const clientInfo = { name: 'bench', version: '0' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const load: Load = {
      ...{ path: '/mcp', connections: CONNECTIONS, expected: '"serverInfo"' },
      ...{ body: rpcBody('initialize', params), headers: { accept: 'application/json, text/event-stream' } },
    };
    for (const system of await lab.startAll(BOTH, { variables: toolsOf(3) })) {
      // Memory that the process keeps of its first requests does not belong to sessions.
      await lab.load(system, { ...load, amount: 2 * count });
      const [before, keys] = [await system.memory(), await keysOf(system)];
      await lab.load(system, { ...load, amount: count });
      rounds.add('memory of a session, KiB', system.name, ((await system.memory()) - before) / count / 1024);
      if (system.redis !== undefined) rounds.add(KEYS, system.name, (await keysOf(system)) - keys);
    }
    return rounds.measures;
  },
};

async function keysOf({ redis }: System): Promise<number> {
  if (redis === undefined) return 0;
  const client = new Redis(redis.url);
  const keys = await client.dbsize();
  client.disconnect();
  return keys;
}

export const MCP_CASES: readonly BenchCase[] = [list, call, endpoint, listeners, sessions];
