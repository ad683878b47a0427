import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { A2A_V1 } from '@parley/protocol/proto/a2a-v1.js';
import { camelCase, parseField } from '@parley/protocol/proto/proto-file.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const CARD = '/.well-known/agent-card.json';
const V1 = { 'a2a-version': '1.0' };

let running: RunningApp;
let client: RestClient;
let folder: string;

describe('agent card', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-card-'));
    running = await runApp({ GRPC_PORT: '0', DATA_DIR: folder });
    client = new RestClient(running.url, {});
  });

  beforeEach(() => {
    // The SDK writes down every signature that it could not use.
    jest.spyOn(console, 'debug').mockImplementation(() => undefined);
  });

  afterAll(async () => {
    await running.close();
    await rm(folder, { recursive: true });
  });

  describe('the agent card', () => {
    it('lists each binding in each version (A2A-VER-01, A2A-VER-02, DISP-13, A2A-GRPC-05)', async () => {
      const { body } = await client.call('GET', CARD, undefined, V1);
      const listed = body.supportedInterfaces.map((it: Record<string, string>) => [
        it.protocolBinding,
        it.protocolVersion,
        it.url,
      ]);
      expect(listed).toEqual([
        ['JSONRPC', '1.0', `${running.url}/`],
        ['HTTP+JSON', '1.0', `${running.url}/a2a`],
        ['GRPC', '1.0', running.grpc],
        ['JSONRPC', '0.3', `${running.url}/`],
        ['HTTP+JSON', '0.3', `${running.url}/a2a`],
        ['GRPC', '0.3', running.grpc],
        ['JSONRPC', '0.2', `${running.url}/`],
        ['JSONRPC', '0.1', `${running.url}/`],
      ]);
    });

    it('lists no gRPC where its address is named as none, with a public address and without (FITS-01)', async () => {
      for (const variables of [{}, { PUBLIC_URL: 'https://agent.example' }]) {
        const without = await runApp({ GRPC_PORT: '0', GRPC_PUBLIC_ADDRESS: '-', DATA_DIR: folder, ...variables });
        const { body } = await new RestClient(without.url, {}).call('GET', CARD, undefined, V1);
        await without.close();
        expect(JSON.stringify(body.supportedInterfaces)).not.toContain('GRPC');
      }
    });

    it('is pure for 1.0 and fits readers of every age otherwise (A2A-CARD-05, A2A-SIGN-06, V02-04, V02-09, V02-12)', async () => {
      const pure = await client.call('GET', CARD, undefined, V1);
      expect(pure.body).not.toHaveProperty('url');
      expect(pure.headers.get('vary')).toBe('A2A-Version');
      for (const path of [CARD, '/.well-known/agent.json']) {
        const hybrid = await client.call('GET', path);
        expect(hybrid.body).toMatchObject({
          url: `${running.url}/`,
          preferredTransport: 'JSONRPC',
          protocolVersion: '0.3.0',
          capabilities: { streaming: true, stateTransitionHistory: true },
          supportedInterfaces: pure.body.supportedInterfaces,
          signatures: pure.body.signatures,
        });
      }
    });

    it('is found by the documents of discovery, which it links to; they are open, cached and small', async () => {
      const links = (await client.call('GET', CARD)).headers.get('link');
      expect(links).toBe('</.well-known/ard.json>; rel="ard", </.well-known/ai-catalog.json>; rel="ai-catalog"');
      const { skills } = (await client.call('GET', CARD)).body as { skills: readonly { id: string }[] };
      for (const path of ['/.well-known/ard.json', '/.well-known/ai-catalog.json']) {
        const { body, headers } = await client.call('GET', path);
        expect(headers.get('access-control-allow-origin')).toBe('*');
        expect(headers.get('cache-control')).toBe('public, max-age=300');
        const entry = { url: `${running.url}${CARD}`, capabilities: skills.map(({ id }) => id) };
        expect(body).toMatchObject({ entries: [entry] });
        const again = await fetch(`${running.url}${path}`, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
        expect(again.status).toBe(304);
      }
    });

    it('is the one of 1.0 alone below /1.0, for readers that state nothing and refuse what 1.0 has not (F6)', async () => {
      const strict = await client.call('GET', '/1.0/.well-known/agent-card.json');
      const { signatures: _ofThis, ...card } = strict.body;
      const { signatures: _ofThat, ...pure } = (await client.call('GET', CARD, undefined, V1)).body;
      expect(card).toEqual(pure);
      const schema = A2A_V1.messages.AgentCard ?? {};
      const known = Object.keys(schema).map((name) => parseField(schema[name] ?? '').jsonName ?? camelCase(name));
      expect(known).toEqual(expect.arrayContaining(Object.keys(strict.body)));
    });

    it('has no address but those of its own origin below /http, for readers that check each of them (conformance C1)', async () => {
      const { keys } = (await client.call('GET', '/.well-known/jwks.json')).body;
      const verify = verifyAgentCardSignature(async (kid) => keys.find((key: { kid: string }) => key.kid === kid));
      for (const headers of [{}, V1]) {
        const { body: whole } = await client.call('GET', CARD, undefined, headers);
        const { body, status: answered } = await client.call('GET', `/http${CARD}`, undefined, headers);
        expect(answered).toBe(200);
        await verify(body as AgentCard);
        const urls: string[] = [body, ...body.supportedInterfaces, ...(body.additionalInterfaces ?? [])]
          .map(({ url }) => url as string | undefined)
          .filter((url) => url !== undefined);
        expect(urls.map((url) => new URL(url).origin)).toEqual(urls.map(() => running.url));
        const { supportedInterfaces: _some, additionalInterfaces: _more, signatures: _own, ...rest } = body;
        expect(whole).toMatchObject(rest);
      }
    });

    it('may be kept, and is asked for again by its tag (A2A-CARD-02, TCK-06)', async () => {
      const first = await client.open('GET', CARD);
      const etag = first.headers.get('etag') ?? '';
      expect(first.headers.get('cache-control')).toContain('max-age=');
      expect(Date.parse(first.headers.get('last-modified') ?? '')).toBeLessThanOrEqual(Date.now());
      for (const known of [etag, `"x", ${etag}`, etag.replace('W/', ''), '*']) {
        const again = await client.open('GET', CARD, undefined, { 'if-none-match': known });
        expect(again.status).toBe(304);
        expect(again.headers.get('etag')).toBe(etag);
      }
      const other = await client.open('GET', CARD, undefined, { 'if-none-match': etag, ...V1 });
      expect(other.status).toBe(200);
    });

    it.each([V1, {}])(
      'is verified by the SDK with the published keys (A2A-SIGN-02, A2A-SIGN-04): %j',
      async (headers) => {
        const { body } = await client.call('GET', CARD, undefined, headers);
        const { keys } = (await client.call('GET', '/.well-known/jwks.json')).body;
        const verify = verifyAgentCardSignature(async (kid) => keys.find((key: { kid: string }) => key.kid === kid));
        await verify(body as AgentCard);
        await expect(verify({ ...body, name: 'forged' } as AgentCard)).rejects.toThrow();
      },
    );

    it('is signed with a key of the data folder that only its owner reads', async () => {
      const path = join(folder, 'card-signing-keys.json');
      expect((await stat(path)).mode & 0o077).toBe(0);
      expect(await readFile(path, 'utf8')).toContain('"d"');
      const published = await (await client.open('GET', '/.well-known/jwks.json')).text();
      expect(published).not.toContain('"d"');
    });

    it('says nothing of an extended card where nobody is known (A2A-XCARD-01)', async () => {
      const rpc = new DialectClient(running.url, V1);
      expect((await rpc.call('GetExtendedAgentCard')).error.code).toBe(-32004);
      expect((await client.call('GET', '/extendedAgentCard')).status).toBe(400);
      expect((await client.call('GET', '/agent/authenticatedExtendedCard')).status).toBe(404);
    });
  });

  describe('a card that claims what is off', () => {
    it.each([
      ['extendedAgentCard', true, 'off', {}],
      [
        'extendedAgentCard',
        false,
        'on',
        { API_KEYS: apiKeyEntry('alice.secret', { tenant: 'default', scopes: 'a2a:tasks.read' }) },
      ],
      ['pushNotifications', false, 'on', {}],
      ['streaming', false, 'on', {}],
    ])(
      'keeps the service from starting: %s is %j, and it is %s (A2A-CARD-03, SEED-24)',
      async (name, claim, here, more) => {
        const file = join(folder, `${randomUUID()}.json`);
        await writeFile(file, JSON.stringify({ capabilities: { [name]: claim } }));
        await expect(runApp({ CARD_FILE: file, ...more })).rejects.toThrow(
          `CARD_FILE ${file}: it says capabilities.${name} is ${String(claim)}, but that is ${here} here`,
        );
      },
    );
  });

  describe('extensions', () => {
    const REQUIRED = 'https://example.com/ext/audit/v1';
    const OPTIONAL = 'https://example.com/ext/hints/v1';
    let strict: RunningApp;

    beforeAll(async () => {
      const file = join(folder, 'card.json');
      const extensions = [{ uri: REQUIRED, required: true, description: 'Says why' }, { uri: OPTIONAL }];
      await writeFile(file, JSON.stringify({ name: 'Strict', extensions }));
      strict = await runApp({ CARD_FILE: file, GRPC_PORT: '0' });
    });

    afterAll(async () => {
      await strict.close();
    });

    const message = (): object => ({ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'x' }] });

    it('are declared (A2A-EXT-01)', async () => {
      const { body } = await new RestClient(strict.url).call('GET', CARD);
      expect(body.name).toBe('Strict');
      expect(body.capabilities.extensions).toEqual(
        expect.arrayContaining([{ uri: REQUIRED, required: true, description: 'Says why' }, { uri: OPTIONAL }]),
      );
    });

    it('that are required are required of every operation, before any write (A2A-EXT-03, A2A-IDEM-02, TRAP-35)', async () => {
      const rest = new RestClient(strict.url);
      for (const [method, path, body] of [
        ['POST', '/message:send', { message: message() }],
        ['POST', '/message:stream', { message: message() }],
        ['GET', '/tasks', undefined],
        ['GET', `/tasks/${randomUUID()}`, undefined],
        ['POST', `/tasks/${randomUUID()}:cancel`, undefined],
        ['GET', `/tasks/${randomUUID()}:subscribe`, undefined],
        ['GET', `/tasks/${randomUUID()}/pushNotificationConfigs`, undefined],
      ] as const) {
        const answer = await rest.call(method, path, body, { 'a2a-extensions': OPTIONAL });
        expect(answer).toMatchObject({
          status: 400,
          body: {
            error: { details: [{ reason: 'EXTENSION_SUPPORT_REQUIRED', metadata: { extensions: REQUIRED } }] },
          },
        });
      }
      const { body } = await rest.call('GET', '/tasks', undefined, { 'a2a-extensions': REQUIRED });
      expect(body.totalSize).toBe(0);
    });

    it('are activated when asked for, unknown ones ignored, and told (A2A-EXT-02, A2A-EXT-04, A2A-EXT-05, TRAP-62)', async () => {
      const asked = { 'a2a-extensions': `${REQUIRED}, https://example.com/ext/hints/v2 ,${OPTIONAL}` };
      const rest = await new RestClient(strict.url).call('GET', '/tasks', undefined, asked);
      expect(rest.headers.get('a2a-extensions')).toBe(`${REQUIRED}, ${OPTIONAL}`);
      const stream = await new DialectClient(strict.url, { ...V1, ...asked }).open('SendStreamingMessage', {
        message: message(),
      });
      expect(stream.headers.get('a2a-extensions')).toBe(`${REQUIRED}, ${OPTIONAL}`);
      await stream.text();
    });

    it('are asked for by metadata on gRPC (A2A-GRPC-02, A2A-EXT-02, A2A-EXT-03)', async () => {
      const asking = new GrpcClient(strict.grpc ?? '', A2AService, { 'a2a-extensions': REQUIRED });
      const silent = new GrpcClient(strict.grpc ?? '', A2AService);
      const request = { tenant: '', contextId: '', status: 0, pageToken: '' };
      expect(await asking.call('listTasks', request)).toMatchObject({ pageSize: 50 });
      await expect(silent.call('listTasks', request)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
      asking.close();
      silent.close();
    });

    it('have the name of their version (A2A-EXT-02)', async () => {
      const old = new DialectClient(strict.url, { 'x-a2a-extensions': REQUIRED });
      const response = await old.open('tasks/get', { id: randomUUID() });
      expect(response.headers.get('x-a2a-extensions')).toBe(REQUIRED);
      expect(await response.json()).toMatchObject({ error: { code: -32001 } });
      const without = await new DialectClient(strict.url).call('tasks/get', { id: randomUUID() });
      expect(without.error.code).toBe(-32008);
    });
  });

  describe('the documents for strangers', () => {
    const PATHS = [
      ...[CARD, '/.well-known/agent.json', `/1.0${CARD}`, `/http${CARD}`],
      ...['/.well-known/ard.json', '/.well-known/ai-catalog.json'],
    ];
    const PREFLIGHT = { origin: 'https://example.com', 'access-control-request-method': 'GET' };

    it.each([{}, { API_KEYS: apiKeyEntry('alice.secret', { tenant: 'default', scopes: 'a2a:tasks.read' }) }])(
      'are open to pages of any origin, which ask without a body (A2A-CARD-01): %j',
      async (environment) => {
        const app = await runApp({ DATA_DIR: folder, ...environment });
        try {
          const page = new RestClient(app.url, {});
          for (const path of PATHS) {
            const preflight = await page.open('OPTIONS', path, undefined, PREFLIGHT);
            expect(preflight.status).toBe(204);
            expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
            expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
            expect((await page.open('GET', path)).headers.get('access-control-allow-origin')).toBe('*');
            expect([401, 403]).toContain((await page.open('OPTIONS', path, { much: 1 }, PREFLIGHT)).status);
            expect([401, 403]).toContain((await page.open('POST', path, { much: 1 }, PREFLIGHT)).status);
          }
          expect([401, 403]).toContain((await page.open('OPTIONS', '/tasks', undefined, PREFLIGHT)).status);
        } finally {
          await app.close();
        }
      },
    );
  });

  describe('the extended card', () => {
    const KEY = 'alice.secret';
    let guarded: RunningApp;

    beforeAll(async () => {
      guarded = await runApp({
        API_KEYS: apiKeyEntry(KEY, { tenant: 'default', scopes: 'a2a:card.extended a2a:tasks.read' }),
        GRPC_PORT: '0',
        DATA_DIR: folder,
      });
    });

    afterAll(async () => {
      await guarded.close();
    });

    const known = { 'x-api-key': KEY };

    it('is declared with the schemes that ask for it (A2A-XCARD-03, TRAP-12)', async () => {
      const { body } = await new RestClient(guarded.url).call('GET', CARD);
      expect(body.capabilities.extendedAgentCard).toBe(true);
      expect(body.securitySchemes).toHaveProperty('apiKey');
      expect(body.securityRequirements).toEqual([{ schemes: { apiKey: { list: [] } } }]);
      expect(body).not.toHaveProperty('security');
      const hybrid = await new RestClient(guarded.url, {}).call('GET', CARD);
      expect(hybrid.body).toMatchObject({
        supportsAuthenticatedExtendedCard: true,
        security: [{ apiKey: [] }],
        authentication: { schemes: ['apiKey'] },
      });
    });

    it('says of each scheme one thing in the card of 1.0, which strangers may read too (A2A-CARD-05, F8)', async () => {
      const { status: answered, body } = await new RestClient(guarded.url, {}).call(
        'GET',
        '/1.0/.well-known/agent-card.json',
      );
      expect(answered).toBe(200);
      expect(Object.keys(body.securitySchemes.apiKey)).toEqual(['apiKeySecurityScheme']);
      expect(
        Object.keys((await new RestClient(guarded.url, V1).call('GET', CARD)).body.securitySchemes.apiKey),
      ).toEqual(['apiKeySecurityScheme']);
    });

    it('is refused to strangers on every binding (A2A-XCARD-03, A2A-AUTHN-03)', async () => {
      for (const path of ['/extendedAgentCard', '/v1/card', '/agent/authenticatedExtendedCard']) {
        const answer = await new RestClient(guarded.url, {}).call('GET', path);
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toContain('ApiKey');
      }
      const rpc = await new DialectClient(guarded.url, V1).open('GetExtendedAgentCard');
      expect(rpc.status).toBe(401);
      const grpc = new GrpcClient(guarded.grpc ?? '', A2AService);
      await expect(grpc.call('getExtendedAgentCard', { tenant: '' })).rejects.toMatchObject({
        code: status.UNAUTHENTICATED,
      });
      grpc.close();
    });

    it('is the same on every binding, signed, without secrets, and for no shared cache (A2A-XCARD-04, A2A-XCARD-05, A2A-XCARD-06)', async () => {
      const rest = await new RestClient(guarded.url, { ...V1, ...known }).call('GET', '/extendedAgentCard');
      expect(rest.status).toBe(200);
      expect(rest.headers.get('cache-control')).toContain('private');
      expect(rest.headers.get('vary')).toContain('Authorization');
      expect(JSON.stringify(rest.body)).not.toContain(KEY);
      const { keys } = (await client.call('GET', '/.well-known/jwks.json')).body;
      const verify = verifyAgentCardSignature(async (kid) => keys.find((key: { kid: string }) => key.kid === kid));
      await verify(rest.body as AgentCard);
      const { signatures: _signatures, ...card } = rest.body;
      expect(await new DialectClient(guarded.url, { ...V1, ...known }).result('GetExtendedAgentCard')).toMatchObject(
        card,
      );
      const grpc = new GrpcClient(guarded.grpc ?? '', A2AService, known);
      const { name, skills } = await grpc.call('getExtendedAgentCard', { tenant: '' });
      expect({ name, skills: skills.map((it: { id: string }) => it.id) }).toEqual({
        name: card.name,
        skills: card.skills.map((it: { id: string }) => it.id),
      });
      grpc.close();
    });

    it('has the shape of its version (V02-07, SEED-03)', async () => {
      const old = new RestClient(guarded.url, known);
      for (const path of ['/v1/card', '/agent/authenticatedExtendedCard']) {
        expect((await old.call('GET', path)).body).toMatchObject({ protocolVersion: '0.3.0', url: `${guarded.url}/` });
      }
      const rpc = new DialectClient(guarded.url, known);
      expect(await rpc.result('agent/getAuthenticatedExtendedCard')).toMatchObject({ protocolVersion: '0.3.0' });
    });
  });
});
