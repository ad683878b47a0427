import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AuthOptions } from '../../../src/auth/auth-options.js';
import { CallerGate } from '../../../src/auth/caller.gate.js';
import { parseApiKeys } from '../../../src/auth/api-key/api-key.js';
import type { LimitOptions } from '../../../src/limits/limit-options.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { startAuthApp, type AuthApp } from '../../kit/auth/auth-app.js';
import { DpopCaller } from '../../kit/auth/dpop-caller.js';
import { rawHttp, type RawAnswer } from '../../kit/auth/raw-http.js';
import { AUDIENCE, TestIssuer, type Claims } from '../../kit/auth/test-issuer.js';
import { CERTIFICATE } from '../../kit/auth/certificate.js';

// Processes start and keys are made: slow where many tests share a machine.
jest.setTimeout(60_000);

const READ = { scope: 'a2a:tasks.read' };

describe(CallerGate.name, () => {
  let acme: TestIssuer;
  let beta: TestIssuer;
  let app: AuthApp;

  beforeAll(async () => {
    [acme, beta] = await Promise.all([TestIssuer.start(), TestIssuer.start()]);
  });

  afterEach(() => app.close());

  afterAll(async () => {
    await Promise.all([acme.stop(), beta.stop()]);
  });

  async function start(options: Partial<AuthOptions> = {}, limits: Partial<LimitOptions> = {}): Promise<void> {
    const issuers = [
      { issuer: acme.url, audiences: [AUDIENCE], tenant: 'acme' },
      { issuer: beta.url, audiences: [AUDIENCE], tenantClaim: 'org', tenants: ['beta', 'gamma'] },
    ];
    app = await startAuthApp({ mode: 'required', resource: AUDIENCE, issuers, apiKeys: [], ...options }, limits);
  }

  function call(headers: Readonly<Record<string, string>>, operation = 'GetTask'): Promise<RawAnswer> {
    return rawHttp(app.port, { path: `/call/${operation}`, headers: Object.entries(headers), body: '{}' });
  }

  const bearer = (token: string): Promise<RawAnswer> => call({ Authorization: `Bearer ${token}` });
  const callerOf = (answer: RawAnswer): Claims => JSON.parse(answer.body).principal;

  describe('tenants', () => {
    it('gives each issuer its own, so that one client name in two tenants is two callers (A2A-TEN-03)', async () => {
      await start();
      const answers = [await bearer(acme.token(READ)), await bearer(beta.token({ ...READ, org: 'beta' }))];
      expect(answers.map(callerOf)).toMatchObject([
        { tenant: 'acme', client: 'billing' },
        { tenant: 'beta', client: 'billing' },
      ]);
    });

    it('takes no tenant from a claim that the operator did not name, and none that the issuer may not name', async () => {
      await start();
      expect(callerOf(await bearer(acme.token({ ...READ, org: 'beta', tenant: 'beta' })))).toMatchObject({
        tenant: 'acme',
      });
      const refused = ['acme', 'delta', '', '../acme', ['beta'], undefined].map((org) => beta.token({ ...READ, org }));
      for (const token of refused) expect((await bearer(token)).status).toBe(401);
    });

    it('takes a token of one issuer under the name of another for what it is (RFC 9207)', async () => {
      await start();
      expect((await bearer(beta.token({ ...READ, iss: acme.url, org: 'beta' }))).status).toBe(401);
    });
  });

  describe('API keys', () => {
    const key = 'ci.0123456789abcdef0123456789abcdef';
    const holder = { tenant: 'acme', client: 'build-server', scopes: 'a2a:tasks.read' };
    const apiKeys = parseApiKeys(apiKeyEntry(key, holder));

    it('knows a caller by its key, and holds it to the scopes of the key (A2A-AUTHN-04)', async () => {
      await start({ apiKeys });
      expect(callerOf(await call({ 'X-API-Key': key }))).toMatchObject({ client: 'build-server', method: 'api-key' });
      expect((await call({ 'X-API-Key': key }, 'SendMessage')).status).toBe(403);
    });

    it('refuses a wrong key, and a key beside a token', async () => {
      await start({ apiKeys });
      expect((await call({ 'X-API-Key': `${key}x` })).status).toBe(401);
      const both = await call({ 'X-API-Key': key, Authorization: `Bearer ${acme.token(READ)}` });
      expect([both.status, both.headers['www-authenticate']?.[0]]).toEqual([
        400,
        expect.stringContaining('invalid_request'),
      ]);
    });

    it('asks for a key where there is no issuer', async () => {
      await start({ apiKeys, issuers: [] });
      expect((await call({})).headers['www-authenticate']).toEqual(['ApiKey realm="a2a"']);
    });
  });

  describe('DPoP (RFC 9449)', () => {
    const url = `${AUDIENCE}/call/GetTask`;
    const caller = new DpopCaller();
    const boundToken = async (): Promise<string> => acme.token({ ...READ, cnf: { jkt: await caller.thumbprint() } });
    const send = (token: string, proof: string): Promise<RawAnswer> =>
      call({ Authorization: `DPoP ${token}`, DPoP: proof });

    it('takes a bound token with a proof, once', async () => {
      await start({ dpop: true });
      const token = await boundToken();
      const proof = caller.proof(token, url);
      expect((await send(token, proof)).status).toBe(200);
      expect((await send(token, proof)).status).toBe(401);
      expect((await send(token, caller.proof(token, `${url}?query=does-not-count`))).status).toBe(200);
    });

    it('refuses every proof that is not about this call', async () => {
      await start({ dpop: true });
      const token = await boundToken();
      const now = Math.floor(Date.now() / 1000);
      const proofs = [
        caller.proof(token, url, { htm: 'GET' }),
        caller.proof(token, `${AUDIENCE}/call/SendMessage`),
        caller.proof(token, url.replace('agent.example', 'evil.example')),
        caller.proof(token, url, { ath: undefined }),
        caller.proof('another token', url),
        caller.proof(token, url, { iat: now - 61 }),
        caller.proof(token, url, { iat: now + 62 }),
        caller.proof(token, url, { jti: undefined }),
        caller.proof(token, url, {}, { typ: 'JWT' }),
        caller.proof(token, url, {}, { alg: 'none' }),
        caller.proof(token, url, {}, { jwk: undefined }),
        new DpopCaller().proof(token, url),
        'not-a-proof',
      ];
      const statuses = await Promise.all(proofs.map(async (proof) => (await send(token, proof)).status));
      expect(statuses).toEqual(proofs.map(() => 401));
    });

    it('refuses a bound token as Bearer, a plain one as DPoP, and a call with two proofs', async () => {
      await start({ dpop: true });
      const token = await boundToken();
      const plain = acme.token(READ);
      expect((await bearer(token)).status).toBe(401);
      expect((await send(plain, caller.proof(plain, url))).status).toBe(401);
      const proofs: [string, string][] = [0, 1].map(() => ['DPoP', caller.proof(token, url)]);
      const headers: [string, string][] = [['Authorization', `DPoP ${token}`], ...proofs];
      expect((await rawHttp(app.port, { path: '/call/GetTask', headers, body: '{}' })).status).toBe(401);
    });

    it('refuses bound tokens where DPoP is off, and plain ones where the issuer must bind', async () => {
      await start();
      const token = await boundToken();
      expect((await send(token, caller.proof(token, url))).status).toBe(401);
      await app.close();
      const issuers = [{ issuer: acme.url, audiences: [AUDIENCE], tenant: 'acme', requireSenderConstraint: true }];
      await start({ dpop: true, issuers });
      expect((await bearer(acme.token(READ))).status).toBe(401);
      expect((await send(token, caller.proof(token, url))).status).toBe(200);
    });
  });

  describe('certificates (RFC 8705)', () => {
    const pem = encodeURIComponent(CERTIFICATE);
    const x5t = createHash('sha256').update(new X509Certificate(CERTIFICATE).raw).digest('base64url');
    const bound = (): string => acme.token({ ...READ, cnf: { 'x5t#S256': x5t } });
    const certificates = { header: 'ssl-client-cert' };

    it('takes a bound token with the certificate that the ingress passes on', async () => {
      await start({ clientCertificates: certificates, ingressNetworks: ['127.0.0.0/8'] });
      expect((await call({ Authorization: `Bearer ${bound()}`, 'ssl-client-cert': pem })).status).toBe(200);
      const other = acme.token({ ...READ, cnf: { 'x5t#S256': x5t.replace(/^./, 'A') } });
      expect((await call({ Authorization: `Bearer ${other}`, 'ssl-client-cert': pem })).status).toBe(401);
      expect((await call({ Authorization: `Bearer ${bound()}`, 'ssl-client-cert': 'rubbish%' })).status).toBe(401);
      expect((await bearer(bound())).status).toBe(401);
    });

    it('believes the header from nowhere else', async () => {
      await start({ clientCertificates: certificates, ingressNetworks: ['10.0.0.0/8'] });
      expect((await call({ Authorization: `Bearer ${bound()}`, 'ssl-client-cert': pem })).status).toBe(401);
    });
  });

  it('serves Passport, too: its guard asks the same strategies by their names', async () => {
    await start({ apiKeys: parseApiKeys(apiKeyEntry('probe.secret', { tenant: 'acme', scopes: 'a2a:tasks.read' })) });
    const get = (name: string, value: string): Promise<RawAnswer> =>
      rawHttp(app.port, { method: 'GET', path: '/passport', headers: [[name, value]] });
    const answers = [await get('Authorization', `Bearer ${acme.token(READ)}`), await get('X-API-Key', 'probe.secret')];
    expect(answers.map(({ body }) => JSON.parse(body))).toMatchObject([
      { client: 'billing', method: 'token' },
      { client: 'probe', method: 'api-key' },
    ]);
    expect((await get('X-API-Key', 'probe.wrong')).status).toBe(401);
  });

  describe('the open start', () => {
    it('takes everybody on this machine for the local caller', async () => {
      await start({ mode: 'open', issuers: [] });
      expect(callerOf(await call({}, 'SendMessage'))).toEqual({
        tenant: 'default',
        client: 'local',
        scopes: 'all',
        method: 'local',
      });
    });

    it('refuses a web page that points its name at this machine', async () => {
      await start({ mode: 'open', issuers: [] });
      expect((await call({ Host: 'evil.example:3000' })).status).toBe(403);
      for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000'])
        expect((await call({ Host: host })).status).toBe(200);
    });
  });

  describe('the protected resource document (RFC 9728)', () => {
    const get = (path: string): Promise<RawAnswer> => rawHttp(app.port, { method: 'GET', path });

    it('says where to get tokens and which scopes there are', async () => {
      await start({ dpop: true });
      for (const path of ['', '/a2a']) {
        const answer = await get(`/.well-known/oauth-protected-resource${path}`);
        expect(answer.status).toBe(200);
        expect(JSON.parse(answer.body)).toMatchObject({
          resource: AUDIENCE,
          authorization_servers: [acme.url, beta.url],
          scopes_supported: expect.arrayContaining(['a2a:message.send', 'a2a:tasks.read']),
          bearer_methods_supported: ['header'],
          dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']),
        });
      }
    });

    it('is not there for another resource, or without an issuer', async () => {
      await start();
      expect((await get('/.well-known/oauth-protected-resource/other')).status).not.toBe(200);
      await app.close();
      await start({ mode: 'open', issuers: [] });
      expect((await get('/.well-known/oauth-protected-resource')).status).not.toBe(200);
    });
  });

  describe('limits', () => {
    const three = { limit: 3, periodSeconds: 60, burst: 3 };

    it('answers failures beyond their rate with 429, and lets good callers of the address in (A2A-SEC-09)', async () => {
      await start({}, { failure: { ...three, name: 'failure' } });
      const statuses: number[] = [];
      for (let index = 0; index < 5; index += 1) statuses.push((await bearer(acme.token({ ...READ, exp: 1 }))).status);
      expect(statuses).toEqual([401, 401, 401, 429, 429]);
      expect((await bearer(acme.token(READ))).status).toBe(200);
    });

    it('holds a caller to its rate, says when to come back, and leaves other callers alone (A2A-SEC-05)', async () => {
      await start({}, { read: { ...three, name: 'read' } });
      const answers: RawAnswer[] = [];
      for (let index = 0; index < 4; index += 1) answers.push(await bearer(acme.token(READ)));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 429]);
      expect(answers[3]?.headers).toMatchObject({
        'retry-after': ['20'],
        ratelimit: ['"read";r=0;t=60'],
        'ratelimit-policy': ['"read";q=3;w=60'],
      });
      expect((await bearer(beta.token({ ...READ, org: 'beta' }))).status).toBe(200);
      expect((await bearer(acme.token({ ...READ, sub: 'other', client_id: 'other' }))).status).toBe(200);
    });

    it('holds an address to its rate before it looks at credentials', async () => {
      await start({}, { address: { ...three, name: 'address' } });
      const answers = await Promise.all(Array.from({ length: 6 }, () => call({})));
      expect(answers.map((answer) => answer.status).sort()).toEqual([401, 401, 401, 429, 429, 429]);
    });
  });

  describe('streams', () => {
    it('end soon after the caller’s token has expired (case 64)', async () => {
      await start();
      const exp = Math.floor(Date.now() / 1000) + 1;
      const headers: [string, string][] = [['Authorization', `Bearer ${acme.token({ ...READ, exp })}`]];
      const answer = await rawHttp(app.port, { method: 'GET', path: '/stream', headers });
      expect(answer.status).toBe(200);
      expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000 + 300);
      expect(Date.now()).toBeLessThan(exp * 1000 + 3_000);
    });
  });
});

describe('npm run issuer', () => {
  let child: ChildProcess;
  let app: AuthApp | undefined;

  afterAll(async () => {
    child.kill();
    await app?.close();
  });

  it('gives tokens that the service takes, for the scopes that were asked for', async () => {
    const script = new URL('../../../scripts/issuer.mjs', import.meta.url).pathname;
    child = spawn(process.execPath, [script, '--port', '0', '--audience', AUDIENCE], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = child.stdout === null ? [''] : await once(child.stdout, 'data');
    const issuer = /JWT_ISSUER=(\S+)/.exec(String(printed))?.[1] ?? '';
    const issuers = [{ issuer, audiences: [AUDIENCE], tenant: 'default' }];
    app = await startAuthApp({ mode: 'required', resource: AUDIENCE, issuers, apiKeys: [] });

    const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'a2a:tasks.read' });
    const authorization = `Basic ${Buffer.from('billing:secret').toString('base64')}`;
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body, headers: { authorization } });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const headers: [string, string][] = [['Authorization', `Bearer ${token}`]];
    const read = await rawHttp(app.port, { path: '/call/GetTask', headers, body: '{}' });
    expect(JSON.parse(read.body)).toMatchObject({ principal: { client: 'billing', scopes: ['a2a:tasks.read'] } });
    expect((await rawHttp(app.port, { path: '/call/SendMessage', headers, body: '{}' })).status).toBe(403);
  });
});
