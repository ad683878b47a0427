// npm run bench -- registry [<agents>]: the registry's figures with 10,000 agents: how long a process takes to read them all, what they
// weigh in its memory, and how long a search takes; and how often a card is fetched when three processes look it up a thousand
// times a second. Prints one line of JSON; ends with 1 when a goal is missed.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { RedisClock } from '../../src/platform/redis/redis-clock.js';
import { connect, type RedisClient } from '../../src/platform/redis/connection/redis-client.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { listingOf } from '../../src/agents/card/ard/listing.js';
import type { RegistryEntry } from '../../src/registry/entry/registry-entry.js';
import { Catalogs } from '../../src/registry/search/catalogs.js';
import { RegistryStore } from '../../src/registry/store/registry.store.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import type { RemoteAgent } from '../../src/remote-agents/directory/agent-file.js';
import { CardResolver } from '../../src/remote-agents/directory/card-resolver.js';
import { RemoteKeys } from '../../src/remote-agents/directory/remote.keys.js';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { AGENTS, QUESTIONS } from '../../test/kit/registry/registry-corpus.js';
import { spread } from '../chaos/check/figures.js';

const GOALS = { searchP99Ms: 20, readMs: 2_000, heapMiB: 150, upstream: 1 };
const [TENANT, CLIENT] = ['bench', 'searcher'];
const MIB = 1024 * 1024;
const ROUNDS = 5;
const LOOKUPS = { everyMs: 10, each: 10, seconds: 2, processes: 3 };

const count = Number(process.argv[2] ?? 10_000);
Logger.overrideLogger(false);
const server = await RedisServer.start();
const redis = connect(server.url, 'command');
try {
  const figures = { agents: count, ...(await searches(redis)), ...(await lookUps(redis)) };
  const missed = [
    figures.searchMs.p99 > GOALS.searchP99Ms ? `a search takes ${String(figures.searchMs.p99)} ms (p99)` : '',
    figures.readMs > GOALS.readMs ? `all agents are read in ${String(figures.readMs)} ms` : '',
    figures.heapMiB > GOALS.heapMiB ? `they weigh ${String(figures.heapMiB)} MiB` : '',
    figures.upstream > GOALS.upstream ? `a card was fetched ${String(figures.upstream)} times` : '',
  ].filter((text) => text !== '');
  console.log(JSON.stringify({ ...figures, goals: GOALS, missed }));
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  redis.disconnect();
  await server.stop();
}

/** Each question of the corpus several times, by one process that has read all agents. */
async function searches(client: RedisClient) {
  const options = { keyPrefix: 'bench', mostAgents: count, mostBytes: 1024 * MIB, probeMs: 300_000 };
  const store = new RegistryStore(client, options);
  await fill(store);
  const before = heapUsed();
  const catalogs = new Catalogs(store);
  const began = performance.now();
  const catalog = await catalogs.of(TENANT);
  const readMs = Math.round(performance.now() - began);
  const heapMiB = Math.round((heapUsed() - before) / MIB);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [question] of QUESTIONS) {
      const asked = performance.now();
      (await catalogs.of(TENANT)).search(CLIENT, question, new Map());
      times.push(Math.round((performance.now() - asked) * 100) / 100);
    }
  }
  return { read: catalog.size, readMs, heapMiB, searchMs: spread(times) };
}

async function fill(store: RegistryStore): Promise<void> {
  const names = Object.keys(AGENTS) as (keyof typeof AGENTS)[];
  const now = new Date().toISOString();
  for (let at = 0; at < count; at += 1) {
    const name = names[at % names.length] ?? 'invoices';
    const entry = entryOf(cardOf(name, at), at, now);
    const written = await store.change(TENANT, entry.identifier, undefined, {
      ...{ entry, card: '{}', note: { action: 'approved', subject: entry.identifier, by: { client: 'curator' } } },
    });
    if (written !== 'done') throw new Error(`Agent ${String(at)} was not written: ${written}`);
  }
}

/** An agent of the corpus with words of its own, so that the index has as many words as that of real agents. */
function cardOf(name: keyof typeof AGENTS, at: number): AgentCard {
  const { displayName, description, capabilities, tags } = AGENTS[name];
  const own = createHash('sha256').update(String(at)).digest('hex');
  const words = [0, 8, 16, 24].map((from) => own.slice(from, from + 8)).join(' ');
  return {
    ...{ name: `${displayName} ${String(at)}`, description: `${description} ${words}`, version: '1.0.0' },
    ...{ capabilities: {}, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    supportedInterfaces: [
      { url: `https://a${String(at)}.example/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    skills: capabilities.map((id) => ({
      ...{ id: `${id}_${String(at)}`, name: id, description: `${description} ${words}`, tags: [...tags] },
      examples: QUESTIONS.filter(([, agent]) => agent === name).map(([question]) => question),
    })),
  };
}

function entryOf(card: AgentCard, at: number, now: string): RegistryEntry {
  return {
    ...{ identifier: `urn:air:a${String(at)}.example:agent:bench`, state: 'approved', owner: 'owner' },
    ...{ visibility: { kind: 'tenant' }, url: `https://a${String(at)}.example/.well-known/agent-card.json` },
    ...{ hash: String(at), proof: { kind: 'well-known' }, signature: 'absent', listing: listingOf(card) },
    ...{ registered: now, updated: now },
  };
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Look-ups of one card by several processes, in its time of freshness. */
async function lookUps(client: RedisClient) {
  let upstream = 0;
  const http: AgentHttp = {
    async send() {
      upstream += 1;
      await pause(50);
      const headers = { etag: '"1"', 'cache-control': 'max-age=60' };
      return { status: 200, headers, body: bodyOf(JSON.stringify(cardOf('invoices', 0))) };
    },
  };
  const agent: RemoteAgent = {
    ...{ name: 'bench', card: 'https://a0.example', auth: { type: 'none' }, origins: [], timeoutMs: 60_000 },
    ...{
      maxInFlight: 20,
      resend: 'safe',
      mode: 'auto',
      signature: 'off',
      keys: undefined,
      skill: undefined,
      exposed: [],
    },
  };
  const keys = new RemoteKeys('bench');
  const resolvers = Array.from(
    { length: LOOKUPS.processes },
    () => new CardResolver(client, keys, http, new RedisClock()),
  );
  const asked: Promise<AgentCard>[] = [];
  for (let ms = 0; ms < LOOKUPS.seconds * 1000; ms += LOOKUPS.everyMs) {
    for (let at = 0; at < LOOKUPS.each; at += 1) {
      const resolver = resolvers[at % resolvers.length];
      if (resolver !== undefined) asked.push(resolver.resolve(agent));
    }
    await pause(LOOKUPS.everyMs);
  }
  await Promise.all(asked);
  return { lookUps: asked.length, upstream };
}

async function* bodyOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
