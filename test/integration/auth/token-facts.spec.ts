import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { JwtVerifier } from '../../../src/auth/token/jwt.verifier.js';
import { startAuthApp, type AuthApp } from '../../kit/auth/auth-app.js';
import { rawHttp, type RawAnswer } from '../../kit/auth/raw-http.js';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import { BAD_KEYS, type Presented } from '../../kit/auth/token-cases.js';

// Processes start and keys are made: slow where many tests share a machine.
jest.setTimeout(60_000);

describe(`${JwtVerifier.name} behind the guard`, () => {
  let issuer: TestIssuer;
  let app: AuthApp;

  beforeAll(async () => {
    issuer = await TestIssuer.start();
    await issuer.publish([...Object.values(issuer.keys), ...Object.values(BAD_KEYS)]);
    const issuers = [{ issuer: issuer.url, audiences: [AUDIENCE], tenant: 'acme' }];
    app = await startAuthApp({ mode: 'required', resource: AUDIENCE, issuers, apiKeys: [] });
  });

  afterAll(async () => {
    await issuer.stop();
    await app.close();
  });

  function send(operation: string, { authorization, query, formBody }: Presented): Promise<RawAnswer> {
    return rawHttp(app.port, {
      path: `/call/${operation}${query === undefined ? '' : `?${query}`}`,
      headers: [
        ...authorization.map((value) => ['Authorization', value] as const),
        ['Content-Type', formBody === undefined ? 'application/json' : 'application/x-www-form-urlencoded'],
      ],
      body: formBody ?? '{}',
    });
  }

  it('takes a good token of every algorithm', async () => {
    for (const key of Object.values(issuer.keys)) {
      const answer = await send('GetTask', {
        authorization: [`Bearer ${issuer.token({ scope: 'a2a:tasks.read' }, {}, key)}`],
      });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({
        principal: { tenant: 'acme', client: 'billing', method: 'token' },
      });
    }
  });

  it('names the scope that is missing (A2A-AUTHZ-02)', async () => {
    const answer = await send('CancelTask', { authorization: [`Bearer ${issuer.token({ scope: 'a2a:tasks.read' })}`] });
    expect(answer.headers['www-authenticate']?.[0]).toContain('scope="a2a:tasks.cancel"');
  });

  it('repeats nothing of a token in answers and logs (A2A-SEC-07, A2A-ERR-07)', async () => {
    const canary = 'canary4711canary';
    const tokens = [
      issuer.token({ sub: canary, iss: canary }),
      issuer.token({ jti: canary, exp: 1 }),
      issuer.token({}, { kid: canary }),
      `${canary}.${canary}.${canary}`,
    ];
    for (const token of tokens) {
      const answer = await send('GetTask', { authorization: [`Bearer ${token}`] });
      const told = JSON.stringify(answer) + app.log.join('');
      expect(answer.status).toBe(401);
      const secrets = [canary, ...token.split('.').map((part) => part.slice(0, 40))];
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    }
  });

  it('turns strangers away before their body has been read', async () => {
    const headers = [
      ['Content-Type', 'application/json'],
      ['Content-Length', '900000'],
    ] as const;
    const answer = await rawHttp(app.port, {
      path: '/call/SendMessage',
      headers: headers.slice(0, 1),
      body: 'not json',
    });
    expect(answer.status).toBe(401);
  });

  it('writes a line of the audit log for each refusal, with the reason (A2A-SEC-06)', async () => {
    const before = app.log.length;
    await send('GetTask', { authorization: [`Bearer ${issuer.token({ exp: 1 })}`] });
    const lines = app.log
      .slice(before)
      .map((line) => JSON.parse(line))
      .filter((line) => line.log === 'audit');
    expect(lines).toMatchObject([
      { result: 'denied', code: 'Unauthenticated', reason: 'expired', address: '127.0.0.1' },
    ]);
  });
});
