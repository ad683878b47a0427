import type { IncomingMessage, ServerResponse } from 'node:http';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readClientKey } from '@parley/client/auth/client-assertion.js';
import type { CommandRedis } from '../../../src/platform/redis/connection/connections.js';
import { connect } from '../../../src/platform/redis/connection/redis-client.js';
import { parseKeyRing } from '../../../src/secrets/key-ring.js';
import { SealBroken, SecretBox } from '../../../src/secrets/secret-box.js';
import { CredentialStore } from '../../../src/mcp-tools/connection/credential.store.js';
import type { ToolServerSettings } from '../../../src/mcp-tools/settings/server-file.js';
import type { ToolAuth } from '../../../src/mcp-tools/settings/tool-auth.js';
import { ToolKeys } from '../../../src/mcp-tools/tool.keys.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { aServer, ToolBench } from '../../kit/mcp-tools/tool-bench.js';
import { ToolServerStub } from '../../kit/mcp-tools/tool-server-stub.js';

Logger.overrideLogger(false);

const PREFIX = `test-${randomUUID()}`;
const SECRET = 'client-secret-0123456789';
const stops: (() => Promise<void>)[] = [];
let redis: CommandRedis;

async function aStub(): Promise<ToolServerStub> {
  const stub = await new ToolServerStub().start();
  stops.push(() => stub.stop());
  return stub;
}

function benchOf(...args: ConstructorParameters<typeof ToolBench>): ToolBench {
  const bench = new ToolBench(...args);
  stops.push(() => bench.close());
  return bench;
}

function withAuth(stub: ToolServerStub, auth: ToolAuth): ToolServerSettings {
  return aServer(stub, { transport: { type: 'http', url: stub.url, auth } });
}

/** A stub that is an issuer: its metadata, and what came to its token endpoint. */
async function anIssuer(metadata: (url: string) => object, onBody: (form: URLSearchParams) => void = () => undefined) {
  const stub = await aStub();
  const origin = `http://${stub.host}`;
  const asked: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    asked.push(`${String(request.url)} ${String(request.headers.authorization)}`);
    const isMetadata = request.url?.startsWith('/.well-known/') === true;
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      onBody(new URLSearchParams(body));
      const token = { access_token: 'granted', token_type: 'Bearer', expires_in: 60 };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isMetadata ? metadata(origin) : token));
    });
    return true;
  };
  stub.before = answer;
  return { origin, asked, host: stub.host };
}

const client = (issuer: string): ToolAuth => ({ type: 'oauth2', issuer, clientId: 'parley', clientSecret: SECRET });
const allow = (...hosts: readonly string[]): string => hosts.map((host) => `${host}=127.0.0.1/32!http`).join(';');

describe('a tool server that is not trusted', () => {
  beforeAll(() => {
    redis = connect(testRedisUrl(), 'blocking');
  });

  afterAll(async () => {
    await redis.del(new ToolKeys(PREFIX).secrets('files'));
    redis.disconnect();
  });

  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  it('MCP-SEC-1: is called with the credential of the tenant of the call, and without one not at all', async () => {
    const stub = await aStub();
    const box = new SecretBox(parseKeyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`));
    const credentials = new CredentialStore(redis, new ToolKeys(PREFIX), box);
    await credentials.set('files', 'acme', 'token-of-acme');
    await credentials.set('files', 'globex', 'token-of-globex');
    const bench = benchOf([withAuth(stub, { type: 'tenant' })], { credentials });
    await bench.call({ text: 'a' }, { tenant: 'acme' });
    expect(new Set(stub.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer token-of-acme']),
    );
    stub.requests.length = 0;
    expect(await bench.call({ text: 'a' }, { tenant: 'initech' })).toMatchObject({ why: 'denied' });
    expect(stub.requests).toEqual([]);
    await bench.call({ text: 'a' }, { tenant: 'globex' });
    expect(JSON.stringify(stub.requests)).not.toContain('acme');
    const sealed = await redis.hgetall(new ToolKeys(PREFIX).secrets('files'));
    expect(JSON.stringify(sealed)).not.toContain('token-of');
    await redis.hset(new ToolKeys(PREFIX).secrets('files'), 'initech', sealed.acme ?? '');
    await expect(credentials.of('files', 'initech')).rejects.toThrow(SealBroken);
  });

  it.each([
    'http://127.0.0.1:%',
    'https://[::1]:%',
    'https://2130706433:%',
    'https://[::ffff:127.0.0.1]:%',
    'https://169.254.169.254',
    'file:///etc/passwd',
  ])('is not called at an inner address: %s', async (address) => {
    const trap = await aStub();
    const url = address.replace('%', trap.host.split(':')[1] ?? '');
    const bench = benchOf([aServer({ url }, { era: 'modern' })], { allow: '' });
    expect(await bench.call()).toMatchObject({ why: 'unreachable' });
    expect(trap.requests).toEqual([]);
  });

  it('MCP-SEC-3: is not called when its name leads to an inner address between the judgement and the connection', async () => {
    const trap = await aStub();
    const port = Number(trap.host.split(':')[1]);
    const server = aServer({ url: `http://rebound.example:${String(port)}/mcp` }, { era: 'modern' });
    const asked: string[][] = [];
    const resolve = (first: string) => async (): Promise<string[]> => {
      asked.push(asked.length === 0 ? [first] : ['127.0.0.1']);
      return asked.at(-1) ?? [];
    };
    const rules = { ports: [port], allowHttp: true, deadlines: { dns: 200, connect: 50, headers: 200, total: 400 } };
    // Nobody listens at 127.0.0.2: it is allowed, so that the first judgement passes.
    const allowed = `rebound.example:${String(port)}=127.0.0.2/32!http`;
    const bench = benchOf([server], { ...rules, allow: allowed, resolve: resolve('127.0.0.2') });
    expect(await bench.call()).toMatchObject({ why: 'unreachable' });
    expect(asked.length).toBeGreaterThanOrEqual(1);
    expect(trap.connections).toBe(0);
    // The trap would have been reached: without the judgement of the address it is.
    const open = `rebound.example:${String(port)}=127.0.0.1/32!http`;
    const reached = benchOf([server], { ...rules, allow: open, resolve: resolve('127.0.0.1') });
    expect(await reached.call()).toMatchObject({ kind: 'result' });
    expect(trap.connections).toBeGreaterThan(0);
  });

  it('is not followed to where it redirects', async () => {
    const [stub, trap] = [await aStub(), await aStub()];
    stub.before = (_request, response) => {
      response.writeHead(307, { location: trap.url }).end();
      return true;
    };
    const bench = benchOf([aServer(stub), { ...aServer(trap), name: 'trap' }]);
    expect(await bench.call()).toMatchObject({ kind: 'failed' });
    expect(trap.requests).toEqual([]);
  });

  it('gets the token of the issuer of the file, for itself only', async () => {
    const stub = await aStub();
    const issuer = await anIssuer((origin) => ({ issuer: origin, token_endpoint: `${origin}/token` }));
    const bench = benchOf([withAuth(stub, client(issuer.origin))], { allow: allow(stub.host, issuer.host) });
    expect(await bench.call()).toMatchObject({ kind: 'result' });
    expect(stub.requests.at(-1)?.headers.authorization).toBe('Bearer granted');
    expect(issuer.asked).toEqual([
      '/.well-known/oauth-authorization-server undefined',
      expect.stringMatching(/^\/token Basic /),
    ]);
  });

  it('gets a token for a client that proves itself by its private key, for its issuer only', async () => {
    const stub = await aStub();
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const forms: URLSearchParams[] = [];
    const issuer = await anIssuer(
      (origin) => ({ issuer: origin, token_endpoint: `${origin}/token` }),
      (form) => forms.push(form),
    );
    const key = readClientKey(JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'one' }));
    if (key === undefined) throw new Error('That is a key');
    const auth: ToolAuth = { type: 'oauth2', issuer: issuer.origin, clientId: 'parley', key };
    const bench = benchOf([withAuth(stub, auth)], { allow: allow(stub.host, issuer.host) });
    expect(await bench.call()).toMatchObject({ kind: 'result' });
    expect(issuer.asked.at(-1)).toBe('/token undefined');
    const { client_assertion: assertion = '', ...form } = Object.fromEntries(forms.at(-1) ?? []);
    expect(form).toMatchObject({ grant_type: 'client_credentials', client_id: 'parley', resource: stub.url });
    const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, { audience: issuer.origin });
    expect(payload).toMatchObject({ iss: 'parley', sub: 'parley', jti: expect.any(String) });
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'one' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
  });

  it('MCP-SEC-7: what it says of issuers is not read, and addresses in metadata pass the guard', async () => {
    const [stub, trap] = [await aStub(), await aStub()];
    stub.before = (_request, response) => {
      const challenge = `Bearer resource_metadata="${trap.url}/.well-known/oauth-protected-resource"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return true;
    };
    expect(await benchOf([aServer(stub)], { allow: allow(stub.host, trap.host) }).call()).toMatchObject({
      why: 'denied',
    });
    const inner = ['169.254.169.254', '[::1]', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]'];
    const endpoints = inner.map((host) => `https://${host}/token`);
    for (const endpoint of [...endpoints, 'http://169.254.169.254/token', 'file:///etc/passwd', trap.url]) {
      const issuer = await anIssuer((origin) => ({ issuer: origin, token_endpoint: endpoint }));
      const bench = benchOf([withAuth(stub, client(issuer.origin))], { allow: allow(stub.host, issuer.host) });
      expect(await bench.call()).toMatchObject({ kind: 'failed' });
      expect(issuer.asked).toHaveLength(1);
    }
    expect(trap.requests).toEqual([]);
  });

  it.each(['/.well-known/', '/token'])('MCP-SEC-7: an issuer that redirects from %s is not followed', async (path) => {
    const [stub, trap, issuer] = [await aStub(), await aStub(), await aStub()];
    const origin = `http://${issuer.host}`;
    const asked: unknown[] = [];
    issuer.before = (request, response) => {
      asked.push(request.url);
      if (request.url?.startsWith(path) === true) response.writeHead(307, { location: trap.url }).end();
      else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ issuer: origin, token_endpoint: `${origin}/token` }));
      }
      return true;
    };
    const hosts = allow(stub.host, issuer.host, trap.host);
    expect(await benchOf([withAuth(stub, client(origin))], { allow: hosts }).call()).toMatchObject({ kind: 'failed' });
    expect(asked.at(-1)).toEqual(expect.stringContaining(path));
    expect([trap.connections, stub.requests]).toEqual([0, []]);
  });

  it.each(['metadata', 'a token endpoint'])(
    'MCP-SEC-7: %s is not asked for at a name that is rebound to an inner address',
    async (what) => {
      const [stub, trap] = [await aStub(), await aStub()];
      trap.before = (_request, response) => {
        response.writeHead(404).end();
        return true;
      };
      const port = Number(trap.host.split(':')[1]);
      const rebound = `http://rebound.example:${String(port)}`;
      const issuer = await anIssuer((origin) => ({ issuer: origin, token_endpoint: `${rebound}/token` }));
      const server = withAuth(stub, client(what === 'metadata' ? rebound : issuer.origin));
      const calling = (address: string, ...answers: readonly string[]): Promise<unknown> => {
        let asked = 0;
        const resolve = async (): Promise<string[]> => [answers[Math.min(asked++, answers.length - 1)] ?? ''];
        const hosts = `${allow(stub.host, issuer.host)};rebound.example:${String(port)}=${address}/32!http`;
        const deadlines = { dns: 200, connect: 50, headers: 200, total: 400 };
        return benchOf([server], { allow: hosts, deadlines, resolve }).call();
      };
      // Nobody listens at 127.0.0.2: it is allowed, so that the first judgement passes.
      expect(await calling('127.0.0.2', '127.0.0.2', '127.0.0.1')).toMatchObject({ kind: 'failed' });
      expect([trap.connections, stub.requests]).toEqual([0, []]);
      // The trap would have been reached: without the judgement of the address it is.
      expect(await calling('127.0.0.1', '127.0.0.1')).toMatchObject({ kind: 'failed' });
      expect(trap.connections).toBeGreaterThan(0);
    },
  );

  it('MCP-SEC-8: metadata that names another issuer gets no secret', async () => {
    const stub = await aStub();
    const issuer = await anIssuer((origin) => ({ issuer: 'https://evil.example', token_endpoint: `${origin}/token` }));
    const bench = benchOf([withAuth(stub, client(issuer.origin))], { allow: allow(stub.host, issuer.host) });
    expect(await bench.call()).toMatchObject({ why: 'denied' });
    expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server undefined']);
    expect(stub.requests).toEqual([]);
  });
});
