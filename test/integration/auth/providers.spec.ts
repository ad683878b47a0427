import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AuthSettings, authOptionsOf } from '../../../src/auth/auth.settings.js';
import type { JwtProfile } from '../../../src/auth/token/token-shape.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { type AuthApp, startAuthApp } from '../../kit/auth/auth-app.js';
import { type RawAnswer, rawHttp } from '../../kit/auth/raw-http.js';
import { AUDIENCE, type Claims, TestIssuer } from '../../kit/auth/test-issuer.js';

/** Tokens of a provider as it makes them by default, without what every token of the test's issuer has. */
interface Provider {
  readonly profile: JwtProfile;
  readonly header: Claims;
  /** A client that acts for itself. */
  readonly machine: Claims;
  /** A client that acts for a person; `subject` is the person. */
  readonly person: Claims;
  readonly subject: string;
  /** What else the provider signs, which is not for APIs. */
  readonly foreign: Claims;
}

const NO_RFC_9068 = { client_id: undefined, jti: undefined };
const READ = 'a2a:tasks.read';

const PROVIDERS: readonly Provider[] = [
  {
    profile: 'auth0',
    header: { typ: 'JWT' },
    machine: { ...NO_RFC_9068, sub: 'billing@clients', azp: 'billing', gty: 'client-credentials', scope: READ },
    person: { ...NO_RFC_9068, sub: 'auth0|5f7c8ec7', azp: 'billing', scope: `openid profile ${READ}` },
    subject: 'auth0|5f7c8ec7',
    foreign: { ...NO_RFC_9068, sub: 'auth0|5f7c8ec7', azp: 'billing', nonce: 'n-0S6', email: 'jane@example.com' },
  },
  {
    profile: 'entra',
    header: { typ: 'JWT' },
    machine: {
      ...NO_RFC_9068,
      ...{ ver: '2.0', azp: 'billing', azpacr: '1', idtyp: 'app', roles: [READ], uti: 'Xk3', tid: '72f988bf' },
      ...{ oid: 'e2a4', sub: 'e2a4', appid: undefined },
    },
    person: {
      ...NO_RFC_9068,
      ...{
        ver: '1.0',
        appid: 'billing',
        appidacr: '1',
        scp: `user_impersonation ${READ}`,
        uti: 'Xk4',
        tid: '72f988bf',
      },
      ...{ oid: 'f1b2', sub: 'AAAAAGpn', upn: 'jane@example.com' },
    },
    subject: 'AAAAAGpn',
    foreign: { ...NO_RFC_9068, ver: '2.0', sub: 'AAAAAGpn', uti: 'Xk5', nonce: 'n-0S6', azp: 'billing' },
  },
  {
    profile: 'keycloak',
    header: { typ: 'JWT' },
    machine: {
      ...{ client_id: 'billing', azp: 'billing', typ: 'Bearer', acr: '1', scope: `profile ${READ}` },
      ...{ sub: '0b6f1d6e', preferred_username: 'service-account-billing', jti: 'trrtcc:1' },
    },
    person: {
      ...{ client_id: undefined, azp: 'billing', typ: 'Bearer', sid: 's-1', scope: `openid ${READ}`, nonce: 'n-0S6' },
      ...{ sub: '5d1f0c2a', preferred_username: 'jane', jti: 'onrtac:2' },
    },
    subject: '5d1f0c2a',
    foreign: { client_id: undefined, azp: 'billing', typ: 'ID', sub: '5d1f0c2a', nonce: 'n-0S6', jti: '3' },
  },
  {
    profile: 'okta',
    header: { typ: undefined },
    machine: { client_id: undefined, jti: 'AT.1', ver: 1, cid: 'billing', sub: 'billing', scp: [READ] },
    person: {
      ...{ client_id: undefined, jti: 'AT.2', ver: 1, cid: 'billing', uid: '00uid4BxX', scp: ['openid', READ] },
      ...{ sub: 'jane@example.com' },
    },
    subject: 'jane@example.com',
    foreign: { client_id: undefined, jti: 'ID.3', sub: '00uid4BxX', at_hash: 'x', cid: 'billing', amr: ['pwd'] },
  },
];

let issuer: TestIssuer;
let app: AuthApp;

/** Auth0 writes its issuer with a `/` at the end. */
const issuerOf = (profile: JwtProfile): string => (profile === 'auth0' ? `${issuer.url}/` : issuer.url);

async function start(profile: JwtProfile, more: Partial<AuthSettings> = {}): Promise<void> {
  const settings = { HOST: '0.0.0.0', JWT_ISSUER: issuerOf(profile), JWT_AUDIENCE: AUDIENCE, JWT_PROFILE: profile };
  app = await startAuthApp(authOptionsOf({ ...settings, JWKS_URI: `${issuer.url}/jwks`, ...more }, AUDIENCE));
}

function call(token: string): Promise<RawAnswer> {
  return rawHttp(app.port, { path: '/call/GetTask', headers: [['Authorization', `Bearer ${token}`]], body: '{}' });
}

const callerOf = (answer: RawAnswer): Claims => (JSON.parse(answer.body) as { principal: Claims }).principal;

describe('providers', () => {
  beforeAll(async () => {
    issuer = await TestIssuer.start();
  });

  afterEach(() => app.close());

  afterAll(() => issuer.stop());

  describe.each(PROVIDERS)('JWT_PROFILE=$profile', ({ profile, header, machine, person, subject, foreign }) => {
    const token = (claims: Claims, more: Claims = {}): string =>
      issuer.token({ iss: issuerOf(profile), ...claims, ...more }, header);

    it('knows a client that acts for itself', async () => {
      await start(profile);
      const { client, subject: none, scopes } = callerOf(await call(token(machine)));
      expect([client, none]).toEqual(['billing', undefined]);
      expect(scopes).toContain(READ);
    });

    it('knows a client that acts for a person', async () => {
      await start(profile);
      expect(callerOf(await call(token(person)))).toMatchObject({ client: 'billing', subject });
    });

    it('refuses what is not for APIs, not for us, too old, or not signed by the issuer', async () => {
      await start(profile);
      const stranger = await TestIssuer.start();
      const refused = [
        token(foreign),
        token(machine, { aud: 'https://other.example' }),
        token(machine, { exp: Math.floor(Date.now() / 1000) - 60 }),
        stranger.token({ iss: issuerOf(profile), ...machine }, header),
      ];
      await stranger.stop();
      expect(await Promise.all(refused.map(async (it) => (await call(it)).status))).toEqual([401, 401, 401, 401]);
    });

    it('is needed: RFC 9068 alone refuses its tokens', async () => {
      await start('rfc9068', { JWT_ISSUER: issuerOf(profile) });
      expect((await call(token(machine))).status).toBe(401);
    });
  });

  describe('tokens that name a client of an API key', () => {
    const key = `k1.${randomUUID()}`;
    const API_KEYS = apiKeyEntry(key, { tenant: 'default', client: 'billing', scopes: READ });

    it('are refused, since both would own the same tasks', async () => {
      await start('rfc9068', { API_KEYS });
      const answer = await call(issuer.token({ scope: READ }));
      expect(answer.status).toBe(401);
      expect(answer.body).toContain('known by an API key');
      expect((await call(issuer.token({ scope: READ, client_id: 'other', sub: 'other' }))).status).toBe(200);
    });

    it('are taken from an issuer that shares its clients', async () => {
      const shared = { issuer: issuer.url, audiences: [AUDIENCE], tenant: 'default', sharesClients: true };
      const settings = { HOST: '0.0.0.0', API_KEYS };
      app = await startAuthApp(authOptionsOf({ ...settings, issuers: [shared] }, AUDIENCE));
      expect((await call(issuer.token({ scope: READ }))).status).toBe(200);
    });
  });
});
