import { type AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { verifyCard } from '@parley/client/card/verify-card.js';
import { decodeProtectedHeader } from 'jose';
import { newCardSigningKeys } from '../../../src/agents/card/card-signing-keys.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { rawHttp, type RawAnswer } from '../../kit/auth/raw-http.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { REWRITERS, type RewrittenCard } from '../../kit/gateway/rewriter.js';

const CARD = '/.well-known/agent-card.json';
const METADATA = '/.well-known/oauth-protected-resource';
const KEY = 'probe.secret';
const [AGENT, GATEWAY, INNER] = ['https://agent.example', 'https://gw.example/support', 'http://parley.test:3000'];
/** Headers of a proxy for each address. */
const WAYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [AGENT]: { Host: 'Agent.example:443' },
  [GATEWAY]: { Host: 'localhost:3000', 'X-Forwarded-Host': 'gw.example', 'X-Forwarded-Prefix': '/support' },
  [INNER]: { Host: 'parley.test:3000' },
};

let running: RunningApp;

/** Two keys: the old and the new one. */
function twoKeys(): string {
  const sets = [newCardSigningKeys(), newCardSigningKeys()].map((text) => JSON.parse(text) as { keys: object[] });
  return JSON.stringify({ keys: sets.flatMap(({ keys }) => keys) });
}

const start = (networks: string): Promise<RunningApp> =>
  runApp({
    PUBLIC_URL: `HTTPS://Agent.example:443/, ${GATEWAY}/ ${INNER}`,
    ...{ GRPC_PORT: '0', GRPC_PUBLIC_ADDRESS: 'grpc.agent.example:443', INGRESS_NETWORKS: networks },
    API_KEYS: apiKeyEntry(KEY, { tenant: 'acme', scopes: 'a2a:tasks.read a2a:message.send a2a:card.extended' }),
    ...{ JWT_ISSUER: 'https://issuer.example', MCP: 'true', CARD_SIGNING_KEYS: twoKeys() },
    SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
  });

async function get(path: string, headers: Readonly<Record<string, string>>, app = running): Promise<RawAnswer> {
  const port = Number(new URL(app.url).port);
  const answer = await rawHttp(port, { method: 'GET', path, headers: Object.entries(headers) });
  return { ...answer, body: Buffer.from(answer.body, 'latin1').toString() };
}

async function cardAt(headers: Readonly<Record<string, string>>, app = running): Promise<RewrittenCard> {
  return JSON.parse((await get(CARD, { 'A2A-Version': '1.0', ...headers }, app)).body) as RewrittenCard;
}

const urlsIn = (card: RewrittenCard): readonly string[] => [...new Set(card.supportedInterfaces.map(({ url }) => url))];

describe('public addresses', () => {
  beforeAll(async () => {
    running = await start('127.0.0.0/8');
  }, 120_000);

  beforeEach(() => {
    // The SDK writes down every signature that it could not use.
    jest.spyOn(console, 'debug').mockImplementation(() => undefined);
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await running.close();
  });

  describe('a service with several public addresses', () => {
    it.each(Object.entries(WAYS))(
      'has the card, links and challenges of %s for its callers (FITS-01)',
      async (url, way) => {
        const grpc = url === AGENT ? ['grpc.agent.example:443'] : [];
        expect(urlsIn(await cardAt(way))).toEqual([`${url}/`, `${url}/a2a`, ...grpc]);
        const prefix = new URL(url).pathname.replace(/\/$/, '');
        const home = await get('/', way);
        expect(JSON.parse(home.body)).toMatchObject({ links: { card: `${prefix}${CARD}` } });
        expect((await get(CARD, way)).headers.link?.[0]).toContain(`<${prefix}/.well-known/ard.json>`);
        expect((await get('/.well-known/ard.json', way)).body).toContain(`"url":"${url}${CARD}"`);
        for (const [path, resource] of [
          ['/tasks', url],
          ['/mcp', `${url}/mcp`],
        ] as const) {
          const { origin, pathname } = new URL(resource);
          const metadata = `${origin}${METADATA}${pathname.replace(/\/$/, '')}`;
          const challenge = (await get(path, way)).headers['www-authenticate']?.join();
          expect(challenge).toContain(`resource_metadata="${metadata}"`);
          expect(JSON.parse((await get(new URL(metadata).pathname, way)).body)).toMatchObject({ resource });
        }
        expect((await get('/openapi.json', { ...way, 'X-API-Key': KEY })).body).toContain(
          `"servers":[{"url":"${url}"}]`,
        );
      },
    );

    it('is told apart by caches: by the tag, and by the headers that choose (FITS-01)', async () => {
      const answers = await Promise.all(Object.values(WAYS).map((way) => get(CARD, way)));
      expect(new Set(answers.map(({ headers }) => headers.etag?.[0])).size).toBe(3);
      for (const path of [CARD, '/', '/.well-known/ard.json', METADATA]) {
        const { headers } = await get(path, {});
        expect(headers.vary?.join()).toMatch(
          /Host, Forwarded, X-Forwarded-Host, X-Forwarded-Proto, X-Forwarded-Prefix$/,
        );
      }
      const [agent, gateway] = answers;
      const known = { 'If-None-Match': agent?.headers.etag?.[0] ?? '' };
      expect((await get(CARD, { ...WAYS[GATEWAY], ...known })).status).toBe(200);
      expect((await get(CARD, { ...WAYS[AGENT], ...known })).status).toBe(304);
      expect(gateway?.headers.vary?.join()).toContain('A2A-Version');
    });

    it.each([
      { Host: 'evil.example' },
      { Host: 'x', 'X-Forwarded-Host': 'evil.example' },
      { Host: 'x', 'X-Forwarded-Host': 'gw.example, evil.example', 'X-Forwarded-Prefix': '/support' },
      { Host: 'parley.test:3000@evil.example' },
      { Host: '[::1]:3000' },
      { Host: 'x', 'X-Forwarded-Host': 'gw.example', 'X-Forwarded-Prefix': '/support/../../evil' },
    ])('echoes no text of a caller: %j (FITS-01)', async (headers) => {
      const answer = await get(CARD, headers);
      expect(answer.status).toBe(200);
      expect(`${JSON.stringify(answer.headers)} ${answer.body}`).not.toMatch(/evil|::1/);
      expect([AGENT, GATEWAY].map((url) => `${url}/`)).toContain(urlsIn(JSON.parse(answer.body) as RewrittenCard)[0]);
    });

    it('gives gRPC callers the extended card of the address that they used (FITS-01)', async () => {
      const urls = async (metadata: Readonly<Record<string, string>>): Promise<string | undefined> => {
        const client = new GrpcClient(running.grpc ?? '', A2AService, {
          'a2a-version': '1.0',
          'x-api-key': KEY,
          ...metadata,
        });
        const card = (await client.call('getExtendedAgentCard', { tenant: '' })) as AgentCard;
        client.close();
        return card.supportedInterfaces[0]?.url;
      };
      expect(await urls({})).toBe(`${AGENT}/`);
      expect(await urls({ 'x-forwarded-host': 'gw.example', 'x-forwarded-prefix': '/support' })).toBe(`${GATEWAY}/`);
      expect(await urls({ 'x-forwarded-host': 'evil.example' })).toBe(`${AGENT}/`);
      const extended = await get('/extendedAgentCard', { ...WAYS[INNER], 'X-API-Key': KEY, 'A2A-Version': '1.0' });
      expect(urlsIn(JSON.parse(extended.body) as RewrittenCard)[0]).toBe(`${INNER}/`);
    });

    it('believes no header of a peer that is no proxy (FITS-01)', async () => {
      const open = await start('10.0.0.0/8');
      expect(urlsIn(await cardAt(WAYS[GATEWAY] ?? {}, open))[0]).toBe(`${AGENT}/`);
      expect(urlsIn(await cardAt(WAYS[INNER] ?? {}, open))[0]).toBe(`${INNER}/`);
      await open.close();
    });
  });

  interface KeySet {
    keys: { kid: string }[];
  }

  /** Whether the SDK verifies a card with these keys. */
  async function holds(card: RewrittenCard, keys: KeySet['keys']): Promise<boolean> {
    const verify = verifyAgentCardSignature(
      async (kid) => keys.find((key) => key.kid === kid) ?? Promise.reject(new Error()),
    );
    return verify(JSON.parse(JSON.stringify(card)) as AgentCard).then(
      () => true,
      () => false,
    );
  }

  describe('the signatures of a card', () => {
    let keys: KeySet['keys'];

    beforeAll(async () => {
      keys = (JSON.parse((await get('/.well-known/jwks.json', {})).body) as KeySet).keys.slice(0, 2);
    });

    it('are those of all addresses, the own first, each with the key set there (FITS-03)', async () => {
      for (const [url, way] of Object.entries(WAYS)) {
        const { body } = await get(CARD, way);
        expect(Buffer.byteLength(body)).toBeLessThan(64 * 1024);
        const { signatures } = JSON.parse(body) as AgentCard;
        const sets = signatures.map((one) => decodeProtectedHeader(one).jku);
        expect(sets[0]).toBe(url === INNER ? undefined : `${url}/.well-known/jwks.json`);
        expect(new Set(sets).size).toBe(3);
        expect(await holds(await cardAt(way), keys)).toBe(true);
      }
    });

    it.each([
      ['agw-host', INNER, 'http://parley.test:3000', true],
      ['agw-host', INNER, 'https://other.example', false],
      ['kong', INNER, GATEWAY, true],
      ['kong', INNER, `${GATEWAY}/x`, false],
      ['agw-3500', GATEWAY, 'https://gw.example', false],
      ['verbatim', GATEWAY, 'https://other.example', true],
    ])(
      'hold after %s has turned the card at %s into that at %s: %s (FITS-03, FITS-02)',
      async (profile, from, to, isTrue) => {
        const card = REWRITERS[profile]!(await cardAt(WAYS[from] ?? {}), to);
        for (const known of [keys, keys.slice(0, 1), keys.slice(1)]) {
          expect(await holds(card, known)).toBe(isTrue);
          const found = await verifyCard(card as never, { keys: known });
          expect(found.outcome).toBe(isTrue ? 'verified' : 'unverifiable');
        }
      },
    );

    it('hold for no skill that was changed, at any address (FITS-03)', async () => {
      for (const way of Object.values(WAYS)) {
        const card = (await cardAt(way)) as RewrittenCard & { skills: readonly object[] };
        const [first, ...others] = card.skills;
        expect(
          await holds({ ...card, skills: [{ ...first, description: 'Sends all it reads' }, ...others] }, keys),
        ).toBe(false);
        expect(await holds({ ...card, skills: others }, keys)).toBe(false);
      }
    });

    it('are a fixed point of host-only rewriting at each address without gRPC (FITS-02)', async () => {
      for (const url of [GATEWAY, INNER]) {
        const card = await cardAt(WAYS[url] ?? {});
        expect(REWRITERS['agw-host']?.(card, url)).toEqual(card);
      }
    });
  });
});
