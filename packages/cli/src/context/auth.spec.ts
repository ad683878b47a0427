import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parley } from '../../../../test/kit/app/parley-command.js';

/** An agent that wants a token, and its issuer: one server in the tests, with the requests that it received. */
let server: Server;
let url: string;
let home: string;
let seen: { path: string; body: string; authorization: string | undefined; key: string | undefined; named: unknown }[] =
  [];
let devicePolls = 0;
let lifeSeconds = 3600;
let schemes: object = {};
let capabilities: object = {};

/** Credential for which the card is shown; undefined: the card is public. */
let cardOpens: ((headers: IncomingHttpHeaders) => boolean) | undefined;
let cardChallenge = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      const { authorization, 'x-key': key } = request.headers;
      const named = request.headers['a2a-extensions'];
      seen.push({
        path: request.url ?? '',
        body,
        authorization,
        key: typeof key === 'string' ? key : undefined,
        named,
      });
      const isHidden =
        request.url?.startsWith('/.well-known/agent') === true && !(cardOpens?.(request.headers) ?? true);
      const [status, answer] = isHidden ? [401, {}] : answerTo(request.url ?? '', body, authorization);
      if (isHidden) response.setHeader('www-authenticate', cardChallenge);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(async () => {
  seen = [];
  cardOpens = undefined;
  devicePolls = 0;
  lifeSeconds = 3600;
  capabilities = {};
  home = await mkdtemp(join(tmpdir(), 'parley-auth-'));
  const flows = {
    clientCredentials: { tokenUrl: `${url}/token`, scopes: {} },
    deviceCode: { tokenUrl: `${url}/token`, deviceAuthorizationUrl: `${url}/device`, scopes: {} },
  };
  schemes = { o: { oauth2SecurityScheme: { flows } } };
});

afterEach(() => rm(home, { recursive: true, force: true }));

function answerTo(path: string, body: string, authorization: string | undefined): readonly [number, object] {
  const form = new URLSearchParams(body);
  if (path === '/.well-known/agent-card.json') {
    const one = { url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    return [200, { name: 'a', supportedInterfaces: [one], securitySchemes: schemes, capabilities, skills: [] }];
  }
  if (path === '/.well-known/openid-configuration') {
    return [200, { issuer: url, token_endpoint: `${url}/token`, device_authorization_endpoint: `${url}/device` }];
  }
  if (path === '/device') {
    return [
      200,
      {
        device_code: 'd',
        user_code: 'ABCD',
        verification_uri: 'https://login.example',
        interval: 0.01,
        expires_in: 30,
      },
    ];
  }
  if (path === '/token') return tokenFor(form, authorization);
  if (path.startsWith('/rpc') && authorization === undefined && !path.includes('=')) return [401, {}];
  if (authorization === 'Bearer wrong') return [401, {}];
  const { id, method } = JSON.parse(body) as { id: string; method: string };
  if (method === 'GetExtendedAgentCard') {
    const one = { url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    const card = { name: 'for the known', supportedInterfaces: [one], capabilities: {}, skills: [] };
    return [200, { jsonrpc: '2.0', id, result: card }];
  }
  return [200, { jsonrpc: '2.0', id, result: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } }];
}

function tokenFor(form: URLSearchParams, authorization: string | undefined): readonly [number, object] {
  const grant = form.get('grant_type') ?? '';
  if (grant === 'client_credentials') {
    const isKnown = authorization === `Basic ${Buffer.from('me:CANARY').toString('base64')}`;
    return isKnown ? [200, { access_token: 'by-client', expires_in: lifeSeconds }] : [401, { error: 'invalid_client' }];
  }
  if (grant === 'refresh_token')
    return [200, { access_token: `after-${form.get('refresh_token') ?? ''}`, expires_in: 3600 }];
  devicePolls += 1;
  if (devicePolls < 3) return [400, { error: 'authorization_pending' }];
  return [200, { access_token: 'by-person', refresh_token: 'r', expires_in: lifeSeconds }];
}

const at = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  parley([...args, '-a', url], { home, folder: home, variables });

const lastAuthorization = (): string | undefined => seen.findLast(({ path }) => path.startsWith('/rpc'))?.authorization;

describe('credentials of the command line', () => {
  it('A2ACLI_AUTH_005, A2ACLI_AUTH_007: signs a person in with a device code, and sends the token from then on', async () => {
    const login = await at(['auth', 'login', '--client-id', 'me']);
    expect(login).toMatchObject({ code: 0, out: expect.stringContaining(`Agent: ${url}\n`) });
    expect(login.err).toContain('Open https://login.example and enter the code ABCD');
    expect(devicePolls).toBe(3);
    expect(await at(['task', 'get', 't'])).toMatchObject({ code: 0 });
    expect(lastAuthorization()).toBe('Bearer by-person');
    const folder = join(home, '.config', 'a2a-cli', 'tokens');
    const [file = ''] = await readdir(folder);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    expect((await at(['auth', 'status'])).out).not.toContain('by-person');
    expect(await at(['auth', 'logout'])).toMatchObject({ out: expect.stringContaining('Removed: yes') });
    expect(await at(['task', 'get', 't', '-o', 'json'])).toMatchObject({ code: 4 });
  });

  it('A2ACLI_AUTH_007: renews a token that has ended', async () => {
    lifeSeconds = 1;
    await at(['auth', 'login', '--client-id', 'me']);
    expect(await at(['task', 'get', 't'])).toMatchObject({ code: 0 });
    expect(lastAuthorization()).toBe('Bearer after-r');
  });

  it('A2ACLI_AUTH_006: signs a program in with its secret, from a variable only', async () => {
    const login = await at(['auth', 'login', '--client-credentials'], {
      A2ACLI_CLIENT_ID: 'me',
      A2ACLI_CLIENT_SECRET: 'CANARY',
    });
    expect(login).toMatchObject({ code: 0, err: `Issuer: ${url}\n` });
    expect(await at(['task', 'get', 't'])).toMatchObject({ code: 0 });
    expect(lastAuthorization()).toBe('Bearer by-client');
    const refused = await at(['auth', 'login', '--client-credentials'], {
      A2ACLI_CLIENT_ID: 'me',
      A2ACLI_CLIENT_SECRET: 'x',
    });
    expect(refused.code).toBe(4);
    expect(await at(['auth', 'login'], { CI: 'true', A2ACLI_CLIENT_ID: 'me' })).toMatchObject({ code: 4 });
  });

  it('A2ACLI_AUTH_001, A2ACLI_AUTH_002: takes credentials from flags and variables, in the location that the card names', async () => {
    await at(['task', 'get', 't', '--bearer', 'flag'], { A2ACLI_BEARER: 'variable' });
    expect(lastAuthorization()).toBe('Bearer flag');
    await at(['task', 'get', 't'], { A2ACLI_BEARER: 'variable' });
    expect(lastAuthorization()).toBe('Bearer variable');
    schemes = { k: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } } };
    await at(['task', 'get', 't', '--api-key', 'k', '--svc-param', 'authorization:none']);
    expect(seen.at(-1)?.key).toBe('k');
    schemes = { k: { apiKeySecurityScheme: { location: 'query', name: 'key' } } };
    await at(['task', 'get', 't'], { A2ACLI_API_KEY: 'a b' });
    expect(seen.at(-1)?.path).toBe('/rpc?key=a+b');
    schemes = {};
    expect(await at(['task', 'get', 't', '--api-key', 'k'])).toMatchObject({ code: 2 });
    expect((await parley(['send', '--help'])).out).toMatch(/prefer\s+A2ACLI_BEARER/);
  });

  it('A2ACLI_AUTH_008: shows a credential to a card whose challenge takes it, and reports the sent credential (B7)', async () => {
    schemes = { k: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } } };
    for (const [flags, opens, challenge] of [
      [['--bearer', 'b'], ({ authorization }) => authorization === 'Bearer b', 'Basic, Bearer realm="a"'],
      [['--api-key', 'k'], (headers) => headers['x-api-key'] === 'k', 'ApiKey'],
    ] as [string[], (headers: IncomingHttpHeaders) => boolean, string][]) {
      [cardOpens, cardChallenge] = [opens, challenge];
      expect(await at(['card', 'get', ...flags])).toMatchObject({ code: 0 });
      const hint = async (...more: string[]): Promise<string> => {
        const { out, code } = await at(['card', 'get', '-o', 'json', ...more]);
        expect(code).toBe(4);
        return JSON.parse(out).error.hint as string;
      };
      expect(await hint()).toContain('Pass --bearer or --api-key');
      expect(await hint(flags[0]!, 'wrong')).toBe('The credential was refused');
      cardChallenge = 'Digest';
      expect(await hint(...flags)).toContain('was not sent');
    }
  });

  it('A2ACLI_EXIT_001, A2ACLI_AUTH_008: distinguishes a missing credential from a refused one, and shows none to the card', async () => {
    const missing = await at(['task', 'get', 't', '-o', 'json']);
    expect(missing.code).toBe(4);
    expect(JSON.parse(missing.out)).toMatchObject({
      error: { code: 'A2ACLI_ERR_CREDENTIALS_MISSING', hint: expect.stringContaining('parley auth login') },
    });
    const refused = await at(['task', 'get', 't', '--bearer', 'wrong', '-o', 'json']);
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'A2ACLI_ERR_AUTH_FAILED' } });
    const ofCard = seen.filter(({ path }) => path.startsWith('/.well-known'));
    expect(ofCard.every(({ authorization, key }) => authorization === undefined && key === undefined)).toBe(true);
  });

  it('A2ACLI_AUTH_010: signs in at the issuer that the OpenID Connect scheme of the card names', async () => {
    schemes = { o: { openIdConnectSecurityScheme: { openIdConnectUrl: `${url}/.well-known/openid-configuration` } } };
    expect(await at(['auth', 'login', '--client-id', 'me'])).toMatchObject({ code: 0 });
    expect(seen.map(({ path }) => path)).toContain('/.well-known/openid-configuration');
    expect(await at(['task', 'get', 't'])).toMatchObject({ code: 0 });
    expect(lastAuthorization()).toBe('Bearer by-person');
  });

  it('A2ACLI_CARD_GET_003: gets the extended card with a credential that the public card has a scheme for, and no other way', async () => {
    const get = (...args: readonly string[]) => at(['card', 'get', '--extended', '-o', 'json', ...args]);
    expect(await get('--bearer', 'x')).toMatchObject({ code: 1 });
    capabilities = { extendedAgentCard: true };
    expect(JSON.parse((await get('--bearer', 'x')).out)).toMatchObject({ name: 'for the known' });
    expect(lastAuthorization()).toBe('Bearer x');
    expect(await get('--bearer', 'wrong')).toMatchObject({ code: 4 });
    expect(await get()).toMatchObject({ code: 4 });
    const calls = seen.length;
    schemes = {};
    expect(await get('--bearer', 'x')).toMatchObject({ code: 2 });
    // The public card was read, and nothing else was asked.
    expect(seen.slice(calls).map(({ path }) => path)).toEqual(['/.well-known/agent-card.json']);
  });

  it('A2ACLI_VER_002: names the extensions that the agent requires with each call, and no others', async () => {
    const extensions = [{ uri: 'urn:a', required: true }, { uri: 'urn:b' }, { uri: 'urn:c', required: true }];
    capabilities = { extensions };
    await at(['task', 'get', 't', '--bearer', 'x']);
    expect(seen.at(-1)?.named).toBe('urn:a, urn:c');
    capabilities = { extensions: [{ uri: 'urn:b' }] };
    await at(['task', 'get', 't', '--bearer', 'x']);
    expect(seen.at(-1)?.named).toBeUndefined();
  });

  it('A2ACLI_AUTH_003: warns when a credential goes over a connection that is not verified', async () => {
    const { err } = await at(['task', 'get', 't', '--insecure', '--bearer', 'x']);
    expect(err).toMatch(/^SECURITY WARNING: --insecure: the credential is sent/);
    expect((await at(['task', 'get', 't', '--bearer', 'x'])).err).toBe('');
  });
});
