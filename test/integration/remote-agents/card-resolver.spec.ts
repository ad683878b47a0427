import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CardSigner } from '../../../src/agents/card/card-signer.js';
import {
  type CardSigningKeys,
  newCardSigningKeys,
  parseCardSigningKeys,
} from '../../../src/agents/card/card-signing-keys.js';
import { RedisClock } from '../../../src/platform/redis/redis-clock.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { AgentHttp, AgentRequest } from '@parley/client/http/agent-http.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import type { RemoteAgent } from '../../../src/remote-agents/directory/agent-file.js';
import { cardNow, CardResolver } from '../../../src/remote-agents/directory/card-resolver.js';
import { RemoteKeys } from '../../../src/remote-agents/directory/remote.keys.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

const CARD: AgentCard = {
  ...{ name: 'Finance', description: 'Counts.', version: '1.0.0', skills: [] },
  supportedInterfaces: [{ url: 'https://a.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  ...{ capabilities: {}, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
};

const AGENT: RemoteAgent = {
  ...{ name: 'finance', card: 'https://a.example', auth: { type: 'none' }, origins: [], timeoutMs: 1000 },
  ...{ maxInFlight: 20, resend: 'safe', mode: 'auto', signature: 'if-present', keys: undefined, skill: undefined },
  exposed: [],
};

let redis: RedisClient;
let keys: RemoteKeys;
let asked: AgentRequest[];
/** What the agent's server does. */
let answer: (request: AgentRequest) => { status?: number; headers?: Record<string, string>; card?: unknown };

const http: AgentHttp = {
  send: async (request) => {
    asked.push(request);
    const { status = 200, headers = {}, card } = answer(request);
    return { status, headers, body: bodyOf(card) };
  },
};

const isCalledWith = (token: string, { headers }: AgentRequest): boolean => headers.authorization === `Bearer ${token}`;

async function* bodyOf(card: unknown): AsyncGenerator<Buffer> {
  if (card !== undefined) yield Buffer.from(JSON.stringify(card));
}

/** The resolver of another process. */
const replica = (): CardResolver => new CardResolver(redis, keys, http, new RedisClock());

const newKeys = (): CardSigningKeys => parseCardSigningKeys(newCardSigningKeys());

/** As if the time of the stored card were over. */
async function age(): Promise<void> {
  const stored = JSON.parse((await redis.get(keys.card('finance'))) ?? '{}') as object;
  await redis.set(keys.card('finance'), JSON.stringify({ ...stored, freshUntil: 0 }), 'KEEPTTL');
}

describe(CardResolver.name, () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
    redis = connect(testRedisUrl(), 'command');
  });

  afterAll(() => {
    redis.disconnect();
  });

  beforeEach(() => {
    keys = new RemoteKeys(`test-${randomUUID()}`);
    asked = [];
    answer = () => ({ card: CARD, headers: { etag: '"1"', 'cache-control': 'max-age=60' } });
  });

  it('reads a card behind a login with the credential of the operator (B7)', async () => {
    answer = (request) => (isCalledWith('t', request) ? { card: CARD } : { status: 401 });
    const agent: RemoteAgent = { ...AGENT, auth: { type: 'bearer', token: 't' } };
    expect((await replica().resolve(agent)).name).toBe('Finance');
    expect((await cardNow(agent, http)).name).toBe('Finance');
    expect(asked.map((request) => isCalledWith('t', request))).toEqual([false, true, false, true]);
  });

  it('O-62: asks once for all processes and calls while the card is fresh', async () => {
    const replicas = [replica(), replica(), replica()];
    const cards = await Promise.all(replicas.flatMap((one) => Array.from({ length: 5 }, () => one.resolve(AGENT))));
    expect(new Set(cards.map(({ name }) => name))).toEqual(new Set(['Finance']));
    expect(asked).toHaveLength(1);
    await replica().resolve(AGENT);
    expect(asked).toHaveLength(1);
  });

  it('O-62: asks whether it has changed when its time is over, and keeps it when it has not', async () => {
    await replica().resolve(AGENT);
    await age();
    answer = ({ headers }) => ({
      status: headers['if-none-match'] === '"1"' ? 304 : 500,
      headers: { 'cache-control': 'max-age=60' },
    });
    expect((await replica().resolve(AGENT)).name).toBe('Finance');
    await replica().resolve(AGENT);
    expect(asked).toHaveLength(2);
  });

  it.each<[string, () => ReturnType<typeof answer>]>([
    ['its agent is down', () => ({ status: 503 })],
    [
      'its agent cannot be reached',
      () => {
        throw new RemoteError('unreachable', 'no');
      },
    ],
    ['its agent sends nonsense', () => ({ card: { name: 7 } })],
    ['its agent redirects to a private address', () => ({ status: 302, headers: { location: 'http://10.0.0.1/' } })],
    [
      'its new card moves the agent elsewhere',
      () => ({
        card: { ...CARD, supportedInterfaces: [{ ...CARD.supportedInterfaces[0], url: 'https://evil.example' }] },
      }),
    ],
  ])('O-62: the last good card is used when %s, and it is not asked for with every call', async (_what, broken) => {
    await replica().resolve(AGENT);
    await age();
    answer = broken;
    const after = replica();
    for (let call = 0; call < 3; call += 1) {
      const { supportedInterfaces } = await after.resolve(AGENT);
      expect(supportedInterfaces[0]?.url).toBe('https://a.example/a2a');
    }
    expect(asked).toHaveLength(2);
  });

  it('O-62: a process that waits for the first card asks for it itself when the one that fetched it has failed', async () => {
    const [first, second] = [replica(), replica()];
    let cut: () => void = () => undefined;
    const untilCut = new Promise<void>((resolve) => (cut = resolve));
    answer = () => {
      if (asked.length > 1) return { card: CARD };
      throw new RemoteError('unreachable', 'no');
    };
    const slow: AgentHttp = {
      send: async (request) => {
        await untilCut;
        return http.send(request);
      },
    };
    const failing = new CardResolver(redis, keys, slow, new RedisClock()).resolve(AGENT);
    await eventually(async () => expect(await redis.exists(keys.fetching('finance'))).toBe(1));
    const waiting = Promise.all([first, second].map((one) => one.resolve(AGENT)));
    cut();
    await expect(failing).rejects.toMatchObject({ kind: 'unreachable' });
    expect((await waiting).map(({ name }) => name)).toEqual(['Finance', 'Finance']);
    expect(asked).toHaveLength(2);
  });

  it('O-66: interfaces at other origins are left out, unless the operator has named them', async () => {
    const elsewhere = { ...CARD.supportedInterfaces[0], url: 'https://b.example/a2a' };
    answer = () => ({ card: { ...CARD, supportedInterfaces: [elsewhere, ...CARD.supportedInterfaces] } });
    const urlsOf = async (agent: RemoteAgent): Promise<readonly string[]> =>
      (await replica().resolve(agent)).supportedInterfaces.map(({ url }) => url);
    expect(await urlsOf(AGENT)).toEqual(['https://a.example/a2a']);
    expect(await urlsOf({ ...AGENT, origins: ['https://b.example'] })).toEqual([
      'https://b.example/a2a',
      'https://a.example/a2a',
    ]);
    answer = () => ({ card: { ...CARD, supportedInterfaces: [elsewhere] } });
    keys = new RemoteKeys(`test-${randomUUID()}`);
    await expect(replica().resolve(AGENT)).rejects.toMatchObject({ kind: 'blocked' });
  });

  it('O-62: a signature counts by pinned keys alone; the address of keys in it is never asked', async () => {
    const [own, other] = [newKeys(), newKeys()];
    const foreign = other.map((key) => ({ ...key, kid: own[0]?.kid ?? '' }));
    const signedBy = async (signer: CardSigner) => ({ ...CARD, signatures: await signer.signatures(CARD) });
    const signed = await signedBy(new CardSigner(own, 'https://a.example/.well-known/jwks.json'));
    const forged = await signedBy(new CardSigner(foreign, 'https://evil.example/jwks.json'));
    const pinned: RemoteAgent = {
      ...AGENT,
      keys: { keys: own.map(({ publicJwk }) => publicJwk) },
      signature: 'required',
    };
    const resolved = async (card: AgentCard, agent: RemoteAgent): Promise<string> => {
      keys = new RemoteKeys(`test-${randomUUID()}`);
      answer = () => ({ card });
      return replica()
        .resolve(agent)
        .then(
          () => 'used',
          (error: unknown) => (error as RemoteError).message.replace(/.*\((.*)\)/, '$1'),
        );
    };
    expect(await resolved(signed, pinned)).toBe('used');
    expect(await resolved(forged, pinned)).toBe('unverifiable');
    expect(await resolved(forged, { ...pinned, signature: 'if-present' })).toBe('unverifiable');
    expect(await resolved({ ...signed, description: 'changed' }, pinned)).toBe('unverifiable');
    expect(await resolved(CARD, pinned)).toBe('absent');
    expect(await resolved(CARD, { ...pinned, signature: 'if-present' })).toBe('used');
    expect(await resolved(forged, AGENT)).toBe('used');
    expect(new Set(asked.map(({ url }) => new URL(url).host))).toEqual(new Set(['a.example']));
  });
});
