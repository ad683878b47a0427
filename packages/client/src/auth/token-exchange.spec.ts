import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answer, ExchangeServer, type Misbehavior } from '../../../../test/kit/auth/exchange-server.js';
import { PlainHttp } from '../http/plain-http.js';
import { CallerTokens } from '../../../../src/remote-agents/directory/outgoing-auth.js';
import { type ClientKey, publicPartOf, readClientKey } from './client-assertion.js';
import { exchangedToken, exchangeFault, type TokenExchange } from './token-exchange.js';

const newKey = (): ClientKey => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = readClientKey(JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'one' }));
  if (key === undefined) throw new Error('no key');
  return key;
};

const KEY = newKey();
const ALICE = { tenant: 'acme', client: 'webapp', subject: 'alice' };
const http = new PlainHttp();
let server: ExchangeServer;

beforeEach(async () => {
  server = await ExchangeServer.start({ parley: { keys: [publicPartOf(KEY)] } });
});

afterEach(async () => {
  await server.stop();
});

const exchangeOf = (changes: Partial<TokenExchange> = {}): TokenExchange => ({
  ...{ tokenUrl: server.tokenUrl, clientId: 'parley', key: KEY, issuer: server.url },
  ...{ audience: 'finance', scope: 'a2a', subjects: 'same' as const },
  ...changes,
});

const claimsOf = (token: string): unknown => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe(exchangedToken.name, () => {
  it('O-66: names the caller, with this service as the one that acts, in a proof that lives a minute', async () => {
    const token = await exchangedToken(exchangeOf(), ALICE, http, () => 1000);
    expect(claimsOf(token.value)).toMatchObject({
      ...{ sub: 'alice', aud: 'finance', scope: 'a2a' },
      act: { sub: 'parley', act: { sub: 'webapp' } },
    });
    expect(token).toEqual({ value: token.value, renewAt: 1000 + 270_000 });
    const [seen] = server.seen;
    expect(seen?.form).toEqual({
      ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', client_id: 'parley' },
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      ...{ audience: 'finance', scope: 'a2a' },
    });
    const { iat = 0, exp = 0, jti, ...said } = seen?.subject ?? {};
    expect(exp - iat).toBe(60);
    expect(jti).toMatch(/^[0-9a-f-]{36}$/);
    expect(said).toEqual({
      ...{ iss: 'parley', sub: 'alice', aud: server.url, tenant: 'acme', client_id: 'webapp' },
      ...{ act: { sub: 'webapp' }, may_act: { sub: 'parley' } },
    });
  });

  it.each<[string, number, object, RegExp]>([
    ['no right', 400, { error: 'access_denied' }, /does not let the caller use this agent \(access_denied\)$/],
    ['no trust', 400, { error: 'invalid_grant', error_description: 'SECRET' }, /says of the caller \(invalid_grant\)$/],
    ['no such agent', 400, { error: 'invalid_target' }, /no tokens for this agent \(invalid_target\)$/],
    ['text of its own', 400, { error: '<b>SECRET</b>' }, /refuses the client \(400\)$/],
    ['a redirect', 302, {}, /refuses the client \(302\)$/],
  ])('is final where the authorization server has %s', async (_what, status, body, text) => {
    server.misbehavior = (response) => answer(response, status, body);
    await expect(exchangedToken(exchangeOf(), ALICE, http)).rejects.toMatchObject({
      ...{ kind: 'auth', isRetryable: false, isDoubtful: false },
      message: expect.stringMatching(text),
    });
  });

  it('may be tried again where the authorization server is down, and nothing has begun then', async () => {
    server.misbehavior = (response) => {
      response.setHeader('retry-after', '7');
      answer(response, 503, {});
    };
    const retryable = { isRetryable: true, isDoubtful: false };
    await expect(exchangedToken(exchangeOf(), ALICE, http)).rejects.toMatchObject({ ...retryable, retryAfterMs: 7000 });
    server.misbehavior = (response) => response.destroy();
    await expect(exchangedToken(exchangeOf(), ALICE, http)).rejects.toMatchObject(retryable);
    const nowhere = exchangeOf({ tokenUrl: 'http://127.0.0.1:1' });
    await expect(exchangedToken(nowhere, ALICE, http)).rejects.toMatchObject({
      ...retryable,
      message: expect.stringMatching(/^The authorization server: it could not be reached/),
    });
  });

  const issued = (changes: object): Misbehavior => {
    return (response, seen) => void server.issued(seen).then((body) => answer(response, 200, { ...body, ...changes }));
  };

  it.each([
    [60, 30_000],
    ['60', 30_000],
    ['600', 570_000],
    [0, 0],
    ['0', 0],
    [-5, 0],
    ['soon', 270_000],
    [null, 270_000],
  ])('renews a token by the `expires_in` of its answer, a text too: %j (B23)', async (expires, renewMs) => {
    server.misbehavior = issued({ expires_in: expires });
    const { renewAt } = await exchangedToken(exchangeOf(), ALICE, http, () => 1000);
    expect(renewAt).toBe(1000 + renewMs);
  });

  it.each<[string, () => void, RegExp]>([
    ['of another caller', () => (server.claims = () => ({ sub: 'mallory' })), /for another caller/],
    ['for another agent', () => (server.claims = () => ({ aud: ['bank'] })), /for another agent/],
    ['bound to a key', () => (server.misbehavior = issued({ token_type: 'DPoP' })), /no bearer token/],
    [
      'of another kind',
      () => (server.misbehavior = issued({ issued_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' })),
      /no access token$/,
    ],
    ['that breaks a header', () => (server.misbehavior = issued({ access_token: 'a\r\nb: c' })), /no access_token/],
    [
      'beside an error',
      () => (server.misbehavior = issued({ error: 'invalid_scope' })),
      /the scope \(invalid_scope\)$/,
    ],
    ['of 100 KiB', () => (server.misbehavior = issued({ access_token: 'x'.repeat(102_400) })), /too large/],
    ['of 10 KiB', () => (server.misbehavior = issued({ access_token: 'x'.repeat(10_240) })), /no access_token/],
    ['that is none', () => (server.misbehavior = (response) => response.end('<html>')), /no access_token/],
  ])('uses no token %s', async (_what, set, text) => {
    set();
    await expect(exchangedToken(exchangeOf(), ALICE, http)).rejects.toMatchObject({
      ...{ kind: 'auth', isDoubtful: false },
      message: expect.stringMatching(text),
    });
  });

  it('takes names of the authorization server where the operator says so, and opaque tokens', async () => {
    server.claims = () => ({ sub: 'pairwise-1' });
    await expect(exchangedToken(exchangeOf({ subjects: 'mapped' }), ALICE, http)).resolves.toBeDefined();
    server.misbehavior = issued({ access_token: 'opaque' });
    await expect(exchangedToken(exchangeOf(), ALICE, http)).resolves.toMatchObject({ value: 'opaque' });
  });

  it('asks nothing for a caller that has the name of this service', async () => {
    const caller = { ...ALICE, subject: 'parley' };
    await expect(exchangedToken(exchangeOf(), caller, http)).rejects.toThrow('the name of this service');
    expect(server.seen).toEqual([]);
  });
});

describe(exchangeFault.name, () => {
  it('distinguishes an unregistered client from a registered one, without the name of a caller', async () => {
    expect(await exchangeFault(exchangeOf(), http)).toBeUndefined();
    expect(server.refused).toEqual(['invalid_grant']);
    expect(await exchangeFault(exchangeOf({ key: newKey() }), http)).toBe('invalid_client');
    expect(server.seen).toEqual([]);
  });
});

describe(CallerTokens.name, () => {
  const authorization = async (tokens: CallerTokens, caller: typeof ALICE): Promise<string> =>
    (await tokens.of(caller).credential()).headers?.authorization ?? '';

  it('has one token for each caller and tenant, asked for once by calls at the same time', async () => {
    const tokens = new CallerTokens(exchangeOf(), http);
    const callers = [ALICE, { ...ALICE, tenant: 'other' }, { ...ALICE, client: 'app' }, { ...ALICE, subject: 'bob' }];
    const found = await Promise.all([...callers, ...callers].map((caller) => authorization(tokens, caller)));
    expect(new Set(found).size).toBe(4);
    expect(found.slice(0, 4)).toEqual(found.slice(4));
    expect(
      server.seen.map(({ subject }) => `${String(subject.tenant)} ${String(subject.client_id)} ${String(subject.sub)}`),
    ).toHaveLength(4);
  });

  it('lets a refused token go once, however many calls were refused with it', async () => {
    const tokens = new CallerTokens(exchangeOf(), http);
    const auth = tokens.of(ALICE);
    const refused = await auth.credential();
    expect([auth.renew(refused), auth.renew(refused)]).toEqual([true, true]);
    const [next, same] = await Promise.all([auth.credential(), auth.credential()]);
    expect(next).toEqual(same);
    expect(next).not.toEqual(refused);
    // A late refusal of the first token is none of the second, and a second refusal is final.
    expect([auth.renew(refused), auth.renew(next)]).toEqual([true, false]);
    expect(server.seen).toHaveLength(2);
  });

  it('keeps the tokens of a thousand callers, and asks again about the one that called longest ago', async () => {
    server.lifeSeconds = 3600;
    const tokens = new CallerTokens(exchangeOf(), http);
    const first = await authorization(tokens, ALICE);
    for (let other = 0; other < 999; other += 1) tokens.of({ ...ALICE, subject: `user-${String(other)}` });
    expect(await authorization(tokens, ALICE)).toBe(first);
    for (let other = 999; other < 1999; other += 1) tokens.of({ ...ALICE, subject: `user-${String(other)}` });
    expect(await authorization(tokens, ALICE)).not.toBe(first);
  });

  it('names no caller that is no user: a client may have the name of one', () => {
    const tokens = new CallerTokens(exchangeOf(), http);
    expect(() => tokens.of({ tenant: 'acme', client: 'alice' })).toThrow('a client without a user');
    expect(() => tokens.of(undefined)).toThrow('a client without a user');
  });
});
