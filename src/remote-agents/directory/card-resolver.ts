import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { RedisClock } from '../../platform/redis/redis-clock.js';
import type { CommandRedis } from '../../platform/redis/connection/connections.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { type CardCredential, cardOf, fetchCard } from '@parley/client/card/fetch-card.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { verifyCard } from '@parley/client/card/verify-card.js';
import type { RemoteAgent } from './agent-file.js';
import type { RemoteKeys } from './remote.keys.js';
import { operatorAuth } from './outgoing-auth.js';
import { freshForMs, STALE_IF_ERROR_MS } from './card-freshness.js';

/** A card as stored for all processes. */
interface StoredCard {
  readonly url: string;
  readonly text: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Ms since 1970. */
  readonly freshUntil: number;
}

/** Delay before a failed fetch is tried again. */
const NEGATIVE_MS = 5_000;
const FETCHING_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/**
 * The cards of remote agents: one request for all processes while a card is fresh, conditional ones afterwards, and the
 * last good card while its agent is down. A card may move its interfaces only to origins listed in AGENTS_FILE.
 */
export class CardResolver {
  private readonly log = new Logger(CardResolver.name);
  private readonly asking = new Map<string, Promise<AgentCard>>();
  private readonly parsed = new Map<string, { readonly text: string; readonly card: AgentCard }>();
  private readonly failed = new Map<string, { readonly until: number; readonly error: unknown }>();

  constructor(
    private readonly redis: CommandRedis,
    private readonly keys: RemoteKeys,
    private readonly http: AgentHttp,
    private readonly clock: RedisClock,
  ) {}

  /** The card of an agent, with its callable interfaces. @throws RemoteError */
  resolve(agent: RemoteAgent): Promise<AgentCard> {
    const asking = this.asking.get(agent.name) ?? this.find(agent).finally(() => this.asking.delete(agent.name));
    this.asking.set(agent.name, asking);
    return asking;
  }

  /** The card that this process read last; undefined if it has read none. */
  known({ name }: RemoteAgent): AgentCard | undefined {
    return this.parsed.get(name)?.card;
  }

  private async find(agent: RemoteAgent): Promise<AgentCard> {
    for (let waited = 0; waited < FETCHING_MS; waited += LOOK_AGAIN_MS) {
      const stored = await this.stored(agent);
      if (stored !== undefined && stored.freshUntil > this.clock.now()) return this.read(agent, stored);
      const failed = this.failed.get(agent.name);
      if (failed !== undefined && failed.until > Date.now()) return this.fallback(agent, stored, failed.error);
      const isOurs = await this.redis.set(this.keys.fetching(agent.name), '1', 'PX', FETCHING_MS, 'NX');
      if (isOurs !== null) return this.fetched(agent, stored);
      // Another process fetches: use the old card meanwhile, or without one wait for the result.
      if (stored !== undefined) return this.read(agent, stored);
      await pause(LOOK_AGAIN_MS);
    }
    throw new RemoteError('timeout', `The card of ${agent.name} was not fetched in time`);
  }

  private async fetched(agent: RemoteAgent, stored: StoredCard | undefined): Promise<AgentCard> {
    try {
      return await this.read(agent, await this.fetch(agent, stored));
    } catch (error) {
      this.failed.set(agent.name, { until: Date.now() + NEGATIVE_MS, error });
      return await this.fallback(agent, stored, error);
    } finally {
      await this.redis.del(this.keys.fetching(agent.name));
    }
  }

  private fallback(agent: RemoteAgent, stale: StoredCard | undefined, error: unknown): Promise<AgentCard> {
    if (stale === undefined || !(error instanceof RemoteError)) throw error;
    this.log.warn({ event: 'remote.card-stale', agent: agent.name, reason: error.message });
    return this.read(agent, stale);
  }

  private async fetch(agent: RemoteAgent, stored: StoredCard | undefined): Promise<StoredCard> {
    const fetched = await fetchCard(this.http, agent.card, {
      known: stored,
      credential: credentialFor(agent, this.http),
    });
    const now = this.clock.now();
    const card =
      'unchanged' in fetched
        ? { ...unchangedFrom(stored), freshUntil: now + freshForMs(fetched.unchanged, now) }
        : {
            ...{ url: fetched.url, text: fetched.text, freshUntil: now + freshForMs(fetched.headers, now) },
            ...{ etag: fetched.headers.etag, lastModified: fetched.headers['last-modified'] },
          };
    // An unusable card is not shared.
    await this.read(agent, card);
    const ttl = card.freshUntil - now + STALE_IF_ERROR_MS;
    await this.redis.set(this.keys.card(agent.name), JSON.stringify(card), 'PX', Math.ceil(ttl));
    this.failed.delete(agent.name);
    return card;
  }

  private async stored({ name, card }: RemoteAgent): Promise<StoredCard | undefined> {
    const text = await this.redis.get(this.keys.card(name));
    if (text === null) return undefined;
    const stored = JSON.parse(text) as StoredCard;
    // AGENTS_FILE has another address now.
    return new URL(stored.url).origin === new URL(card).origin ? stored : undefined;
  }

  private async read(agent: RemoteAgent, { text, url }: StoredCard): Promise<AgentCard> {
    const known = this.parsed.get(agent.name);
    if (known?.text === text) return known.card;
    const card = await usableCard(agent, { text, url });
    this.parsed.set(agent.name, { text, card });
    return card;
  }
}

/** A card with a valid signature, reduced to its callable interfaces. @throws RemoteError */
async function usableCard(
  agent: RemoteAgent,
  { text, url }: { readonly text: string; readonly url: string },
): Promise<AgentCard> {
  const { card } = cardOf(text);
  await checkSignature(agent, card);
  const allowed = new Set([new URL(url).origin, ...agent.origins]);
  const supportedInterfaces = card.supportedInterfaces.filter((one) => allowed.has(originOf(one.url)));
  if (supportedInterfaces.length === 0) {
    const named = card.supportedInterfaces.map((one) => originOf(one.url)).join(', ');
    throw new RemoteError(
      'blocked',
      `The card of ${agent.name} names interfaces at ${named} only: allow them in origins`,
    );
  }
  return { ...card, supportedInterfaces };
}

/** The current card of an agent, fetched for operators. @throws RemoteError */
export async function cardNow(agent: RemoteAgent, http: AgentHttp): Promise<AgentCard> {
  const fetched = await fetchCard(http, agent.card, { credential: credentialFor(agent, http) });
  if ('unchanged' in fetched) throw new RemoteError('invalid-answer', 'The agent answered 304 to a first request');
  return usableCard(agent, fetched);
}

function credentialFor({ auth }: RemoteAgent, http: AgentHttp): CardCredential {
  return (_challenge, signal) => operatorAuth(auth, http).credential(signal);
}

function unchangedFrom(stored: StoredCard | undefined): StoredCard {
  if (stored === undefined) throw new RemoteError('invalid-answer', 'The agent answered 304 to a first request');
  return stored;
}

async function checkSignature({ name, signature, keys }: RemoteAgent, card: AgentCard): Promise<void> {
  if (signature === 'off') return;
  const found = await verifyCard(card, keys);
  if (found.outcome === 'verified') return;
  if (signature === 'required' || (keys !== undefined && found.outcome === 'unverifiable')) {
    throw new RemoteError('invalid-answer', `The card of ${name} is not signed by a pinned key (${found.outcome})`);
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
