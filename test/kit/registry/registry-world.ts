import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Channels } from '../../../src/platform/redis/connection/channels.js';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { CardChanges } from '../../../src/registry/card-changes.js';
import { CardReader } from '../../../src/registry/card-reader.js';
import type { RegistryEntry } from '../../../src/registry/entry/registry-entry.js';
import { RegistryFeed } from '../../../src/registry/feed/registry-feed.js';
import { Prober } from '../../../src/registry/health/prober.js';
import { PublisherKeys } from '../../../src/registry/publisher-keys.js';
import { type Outcome, Registrations } from '../../../src/registry/registrations.js';
import { RegistryMetrics } from '../../../src/registry/registry.metrics.js';
import { Catalogs } from '../../../src/registry/search/catalogs.js';
import { RegistryStore } from '../../../src/registry/store/registry.store.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import type { Principal } from '../../../src/auth/principal.js';
import { testRedisUrl } from '../redis/shared-redis.js';

export const OWNER: Principal = { tenant: 'acme', client: 'owner', scopes: 'all', method: 'token' };
export const CURATOR: Principal = { ...OWNER, client: 'curator' };
export const FINANCE = 'urn:air:finance.example:agent:finance';

/** The registry of one process of the service. */
export type Replica = ReturnType<typeof replicaOn>;

interface ReplicaTraits {
  readonly mostAgents?: number;
  readonly mostBytes?: number;
  /** Connections of its own; default: those of the test. */
  readonly redis?: RedisClient;
  readonly subscriber?: RedisClient;
}

/** Hosts with cards, and processes with a registry over one Redis, anew for each test. */
export class RegistryWorld {
  /** What is at a URL: a card, or a text that is none. Nothing: the host does not answer. */
  served = new Map<string, AgentCard | string>();
  asked: string[] = [];
  keyPrefix = '';
  private connections: readonly RedisClient[] = [];

  open(): void {
    this.connections = [connect(testRedisUrl(), 'operator'), connect(testRedisUrl(), 'subscriber')];
  }

  close(): void {
    for (const redis of this.connections) redis.disconnect();
  }

  reset(): void {
    this.keyPrefix = `test-${randomUUID()}`;
    this.asked = [];
    this.served = new Map([
      [urlOf('finance.example'), aCard('Finance', 'finance.example', ['extract_invoice', 'pay'])],
      [urlOf('travel.example'), aCard('Travel', 'travel.example', ['book_flight'])],
    ]);
  }

  get redis(): RedisClient {
    const [redis] = this.connections;
    if (redis === undefined) throw new Error('the world is closed');
    return redis;
  }

  replica(traits: ReplicaTraits = {}): Replica {
    const [redis, subscriber] = this.connections;
    if (redis === undefined || subscriber === undefined) throw new Error('the world is closed');
    return replicaOn(this.http, this.keyPrefix, { redis, subscriber, ...traits });
  }

  private readonly http: AgentHttp = {
    send: async ({ url, headers }) => {
      this.asked.push(url);
      const found = this.served.get(url);
      if (found === undefined) throw new RemoteError('unreachable', 'no answer');
      const text = typeof found === 'string' ? found : JSON.stringify(found);
      const etag = `"${String(text.length)}"`;
      const isKnown = headers['if-none-match'] === etag;
      return { status: isKnown ? 304 : 200, headers: { etag }, body: bodyOf(isKnown ? '' : text) };
    },
  };
}

/** A world for the tests of one file. */
export function useRegistryWorld(): RegistryWorld {
  const world = new RegistryWorld();
  beforeAll(() => {
    Logger.overrideLogger(false);
    world.open();
  });
  afterAll(() => {
    world.close();
  });
  beforeEach(() => {
    world.reset();
  });
  return world;
}

export const urlOf = (host: string): string => `https://${host}/.well-known/agent-card.json`;

export function aCard(name: string, host: string, skills: readonly string[] = ['count']): AgentCard {
  return {
    ...{ name, description: `${name} works.`, version: '1.0.0' },
    supportedInterfaces: [{ url: `https://${host}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    ...{ capabilities: {}, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    skills: skills.map((id) => ({ id, name: id, description: 'Does.', tags: ['money'] })),
  };
}

export const entryOf = (outcome: Outcome): RegistryEntry => {
  if (outcome.kind !== 'done' || outcome.entry === undefined) throw new Error(JSON.stringify(outcome));
  return outcome.entry;
};

export async function register({ registrations }: Replica, host: string, caller = OWNER): Promise<RegistryEntry> {
  return entryOf(await registrations.register(caller, { url: `https://${host}`, visibility: { kind: 'tenant' } }));
}

export async function approved(on: Replica, host: string): Promise<RegistryEntry> {
  const { identifier, hash } = await register(on, host);
  return entryOf(await on.registrations.approve(CURATOR, identifier, hash));
}

function replicaOn(
  http: AgentHttp,
  keyPrefix: string,
  {
    mostAgents = 100,
    mostBytes = 1_000_000,
    redis,
    subscriber,
  }: ReplicaTraits & { readonly redis: RedisClient; readonly subscriber: RedisClient },
) {
  const options = { keyPrefix, mostAgents, mostBytes, probeMs: 60_000 };
  const store = new RegistryStore(redis, options);
  const reader = new CardReader(http, store);
  const changes = new CardChanges(store, reader);
  return {
    store,
    catalogs: new Catalogs(store),
    registrations: new Registrations(store, reader, changes),
    keys: new PublisherKeys(store),
    prober: new Prober(store, reader, changes, new RegistryMetrics(new Metrics()), options),
    feed: new RegistryFeed(store, new Channels(subscriber)),
  };
}

async function* bodyOf(text: string): AsyncGenerator<Buffer> {
  if (text !== '') yield Buffer.from(text);
}
