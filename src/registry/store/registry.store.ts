import { Inject, Injectable } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';
import { redisNow } from '../../platform/redis/redis-clock.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { type AgentChange, changeOf } from '../entry/agent-change.js';
import { type EntryHealth, type Listed, type RegistryEntry, UNKNOWN_HEALTH } from '../entry/registry-entry.js';
import {
  digestOfEvent,
  EMPTY_LOG,
  type LogEvent,
  type LogHead,
  type LogNote,
  nextEvent,
} from '@parley/client/registry/registry-log.js';
import { RegistryOptions } from '../registry.options.js';
import { pendingField, RegistryKeys } from './registry.keys.js';
import { REGISTRY_SCRIPTS } from './registry.scripts.js';

/** The new state of an agent. */
export interface EntryChange {
  /** Absent: the agent is removed. */
  readonly entry?: RegistryEntry;
  /** Text of the served card; absent: unchanged. */
  readonly card?: string;
  /** Text of the card that waits for approval; absent: none; `keep`: unchanged. */
  readonly pending?: string;
  readonly keepsPending?: boolean;
  readonly note: LogNote;
}

/** `changed`: a concurrent writer was first, and the change must be planned again. The others: a bound is reached. */
export type Written = 'done' | 'changed' | 'agents' | 'bytes';

/** An entry as read: changes apply only if it is still the same (optimistic lock). */
export interface ReadEntry {
  readonly entry: RegistryEntry;
  readonly text: string;
}

/** A change in the feed of a tenant. */
export interface FeedChange {
  /** 1, 2, 3 … over all clients: never shown to them. */
  readonly seq: number;
  readonly change: AgentChange;
  readonly bytes: number;
}

/**
 * Bounds of a feed: changes and their bytes. One change has at most 310 KiB, with 100 long client names before and
 * after.
 */
export const FEED_BOUNDS = { changes: 1_000, bytes: 512 * 1024 } as const;

/** Events per log. */
const MAX_EVENTS = 10_000;
/** Retries of recording a probe against concurrent writers; after them the next probe finds the same. */
const MAX_TRIES = 5;
/** Publishers per tenant with pinned keys. */
const MAX_PUBLISHERS = 200;
/** Entries per Redis reply: a listing has up to about 20 KiB. */
const BATCH = 100;

/** The agents of all tenants in Redis, with the log of actions on them. */
@Injectable()
export class RegistryStore {
  private readonly keys: RegistryKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(RegistryOptions) private readonly options: RegistryOptions,
  ) {
    this.keys = new RegistryKeys(options.keyPrefix);
  }

  /** The channel with the name of each tenant whose feed has a new change. */
  get feedChannel(): string {
    return this.keys.feedChannel;
  }

  async read(tenant: string, identifier: string): Promise<ReadEntry | undefined> {
    const text = await this.redis.hget(this.keys.of(tenant).entries, identifier);
    return text === null ? undefined : { entry: JSON.parse(text) as RegistryEntry, text };
  }

  /** The served card and the one that waits for approval. */
  async cards(tenant: string, identifier: string): Promise<{ readonly served?: string; readonly pending?: string }> {
    const [served, pending] = await this.redis.hmget(this.keys.of(tenant).cards, identifier, pendingField(identifier));
    return {
      ...(typeof served === 'string' ? { served } : {}),
      ...(typeof pending === 'string' ? { pending } : {}),
    };
  }

  /** Changes an agent if it is unchanged since it was read. */
  async change(
    tenant: string,
    identifier: string,
    known: ReadEntry | undefined,
    { entry, card = '', pending, keepsPending = false, note }: EntryChange,
  ): Promise<Written> {
    const { mostAgents, mostBytes, probeMs } = this.options;
    // Before the agent: a tenant without agents costs the prober one read, an agent without its tenant would never be
    // probed.
    if (known === undefined) await this.redis.sadd(this.keys.tenants, tenant);
    const head = await this.head(tenant);
    const event = nextEvent(head, new Date().toISOString(), note);
    const written = await REGISTRY_SCRIPTS.change.run(this.redis, this.keys.of(tenant), {
      ...{ id: identifier, seenEntry: known?.text ?? '', seenHead: head.digest },
      entry: entry === undefined ? '' : JSON.stringify(entry),
      ...{ card, pendingCard: pending ?? (keepsPending ? '=' : '') },
      ...{ event: JSON.stringify(event), digest: digestOfEvent(event) },
      ...{ maxAgents: mostAgents, maxBytes: mostBytes, maxEvents: MAX_EVENTS, probeMs },
      ...this.feedArguments(tenant, changeOf(identifier, known?.entry, entry, { at: event.at })),
    });
    return written as Written;
  }

  async noteHealth(
    tenant: string,
    identifier: string,
    health: EntryHealth,
    { nextMs, isNews }: { readonly nextMs: number; readonly isNews: boolean },
  ): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      // Subscribers depend on the entry, so the script applies the change only if the entry is unchanged (optimistic
      // lock).
      const { entry, text = '' } = (isNews ? await this.read(tenant, identifier) : undefined) ?? {};
      const seen = { id: identifier, seenEntry: text };
      const change = changeOf(identifier, entry, entry, { health: health.state });
      const written = await REGISTRY_SCRIPTS.note.run(this.redis, this.keys.of(tenant), {
        ...{ ...seen, state: JSON.stringify(health), nextMs: Math.round(nextMs) },
        ...this.feedArguments(tenant, change),
      });
      if (written === 'done') return;
    }
  }

  async healthOf(tenant: string, identifier: string): Promise<EntryHealth> {
    return healthIn(await this.redis.hget(this.keys.of(tenant).health, identifier));
  }

  /** The clock for planning probes, shared by all processes: ms since 1970. */
  now(): Promise<number> {
    return redisNow(this.redis);
  }

  /** Identifiers of the agents that are due for a probe. */
  due(tenant: string, now: number, most: number): Promise<readonly string[]> {
    return this.redis.zrangebyscore(this.keys.of(tenant).due, '-inf', now, 'LIMIT', 0, most);
  }

  tenants(): Promise<readonly string[]> {
    return this.redis.smembers(this.keys.tenants);
  }

  /** Makes a process the only prober, or renews its lease. */
  async lead(process: string, leaseMs: number): Promise<boolean> {
    return (await REGISTRY_SCRIPTS.lead.run(this.redis, { prober: this.keys.prober }, { process, leaseMs })) === 1;
  }

  /** The number of changes of a tenant's agents. */
  async version(tenant: string): Promise<number> {
    return Number(await this.redis.hget(this.keys.of(tenant).meta, 'version'));
  }

  /** Agents changed or removed after a version; undefined when that is no longer known per agent. */
  async changedAfter(tenant: string, version: number): Promise<readonly string[] | undefined> {
    const { changed } = this.keys.of(tenant);
    const [, oldest = '0'] = await this.redis.zrange(changed, '0', '0', 'WITHSCORES');
    const isCut = (await this.redis.zcard(changed)) >= 2 * this.options.mostAgents;
    if (isCut && version < Number(oldest)) return undefined;
    return this.redis.zrangebyscore(changed, `(${String(version)}`, '+inf');
  }

  /** The changes of a feed from a number on, oldest first. */
  async feedFrom(tenant: string, seq: number): Promise<readonly FeedChange[]> {
    const entries = await this.redis.xrange(this.keys.of(tenant).feed, seq, '+');
    return entries.map(([id, [, text = '']]) => ({
      ...{ seq: Number.parseInt(id, 10), change: JSON.parse(text) as AgentChange, bytes: Buffer.byteLength(text) },
    }));
  }

  identifiers(tenant: string): Promise<readonly string[]> {
    return this.redis.hkeys(this.keys.of(tenant).entries);
  }

  /** Agents with their health, in batches; removed ones are undefined. */
  async *listed(
    tenant: string,
    identifiers: readonly string[],
  ): AsyncGenerator<readonly (readonly [string, Listed | undefined])[]> {
    const { entries, health } = this.keys.of(tenant);
    for (let from = 0; from < identifiers.length; from += BATCH) {
      const batch = identifiers.slice(from, from + BATCH);
      const [texts, healths] = await Promise.all([
        this.redis.hmget(entries, ...batch),
        this.redis.hmget(health, ...batch),
      ]);
      yield batch.map((identifier, at) => {
        const text = texts[at] ?? null;
        if (text === null) return [identifier, undefined];
        return [identifier, { entry: JSON.parse(text) as RegistryEntry, health: healthIn(healths[at] ?? null) }];
      });
    }
  }

  /** The pinned keys of a publisher. */
  async keysOf(tenant: string, publisher: string): Promise<JSONWebKeySet | undefined> {
    const text = await this.redis.hget(this.keys.of(tenant).publishers, publisher);
    return text === null ? undefined : (JSON.parse(text) as JSONWebKeySet);
  }

  async publishers(tenant: string): Promise<Readonly<Record<string, JSONWebKeySet>>> {
    const all = await this.redis.hgetall(this.keys.of(tenant).publishers);
    return Object.fromEntries(
      Object.entries(all).map(([publisher, text]) => [publisher, JSON.parse(text) as JSONWebKeySet]),
    );
  }

  /** Pins the keys of a publisher, or removes them. */
  async pin(
    tenant: string,
    publisher: string,
    keys: JSONWebKeySet | undefined,
    note: LogNote,
  ): Promise<'done' | 'changed' | 'publishers'> {
    const head = await this.head(tenant);
    const event = nextEvent(head, new Date().toISOString(), note);
    const written = await REGISTRY_SCRIPTS.pin.run(this.redis, this.keys.of(tenant), {
      ...{ publisher, pinned: keys === undefined ? '' : JSON.stringify(keys), seenHead: head.digest },
      ...{ event: JSON.stringify(event), digest: digestOfEvent(event) },
      ...{ maxPublishers: MAX_PUBLISHERS, maxEvents: MAX_EVENTS },
    });
    return written as 'done' | 'changed' | 'publishers';
  }

  async head(tenant: string): Promise<LogHead> {
    const [digest, seq] = await this.redis.hmget(this.keys.of(tenant).meta, 'head', 'seq');
    return digest ? { digest, seq: Number(seq) } : EMPTY_LOG;
  }

  /** Events after a number, oldest first. */
  async events(tenant: string, after: number, most: number): Promise<readonly LogEvent[]> {
    const { log } = this.keys.of(tenant);
    const [oldest] = await this.redis.lrange(log, 0, 0);
    if (oldest === undefined) return [];
    const from = Math.max(0, after + 1 - (JSON.parse(oldest) as LogEvent).seq);
    const texts = await this.redis.lrange(log, from, from + most - 1);
    return texts.map((text) => JSON.parse(text) as LogEvent).filter(({ seq }) => seq > after);
  }

  /** The arguments of append_change.lua. */
  private feedArguments(tenant: string, change: AgentChange | undefined) {
    return {
      ...{ change: change === undefined ? '' : JSON.stringify(change), channel: this.feedChannel, tenant },
      ...{ maxChanges: FEED_BOUNDS.changes, maxFeedBytes: FEED_BOUNDS.bytes },
    };
  }
}

function healthIn(text: string | null): EntryHealth {
  return text === null ? UNKNOWN_HEALTH : (JSON.parse(text) as EntryHealth);
}
