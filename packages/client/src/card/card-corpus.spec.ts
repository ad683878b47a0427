import { describe, expect, it } from '@jest/globals';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { AgentAnswer, AgentHttp, AgentRequest } from '../http/agent-http.js';
import { chooseEndpoint } from '../call/endpoint.js';
import { cardOf, fetchCard } from './fetch-card.js';
import type { RemoteError } from '../http/remote-errors.js';

const V1 = {
  ...{ name: 'Finance', description: 'Counts.', version: '1.0.0' },
  supportedInterfaces: [{ url: 'https://a.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [{ id: 'sum', name: 'Sum', description: 'Adds.', tags: ['math'] }],
};
const V03 = {
  ...{ name: 'Finance', description: 'Counts.', version: '1.0.0', protocolVersion: '0.3.0' },
  url: 'https://a.example/a2a',
  capabilities: { pushNotifications: true },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [] },
};
const interfaceOf = (changes: object): object => ({ ...V1.supportedInterfaces[0], ...changes });

/** Reads a card as its text would arrive. */
const read = (card: unknown): AgentCard => cardOf(typeof card === 'string' ? card : JSON.stringify(card)).card;

function faultOf(work: () => unknown): RemoteError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as RemoteError;
  }
}

describe('the corpus of cards', () => {
  it.each<[string, unknown, string]>([
    ['1.0', V1, 'JSONRPC 1.0 https://a.example/a2a'],
    ['0.3 with its transport unnamed', V03, 'JSONRPC 0.3 https://a.example/a2a'],
    [
      '0.3 that prefers gRPC and has JSON-RPC as well',
      {
        ...{ ...V03, preferredTransport: 'GRPC' },
        additionalInterfaces: [{ url: 'https://a.example/rpc', transport: 'JSONRPC' }],
      },
      'JSONRPC 0.3 https://a.example/rpc',
    ],
    [
      'both versions, the newer one second',
      {
        ...V1,
        supportedInterfaces: [interfaceOf({ protocolVersion: '0.3', url: 'https://a.example/old' }), interfaceOf({})],
      },
      'JSONRPC 1.0 https://a.example/a2a',
    ],
    [
      'TRAP-61: a binding in lower case',
      { ...V1, supportedInterfaces: [interfaceOf({ protocolBinding: 'jsonrpc' })] },
      'JSONRPC 1.0 https://a.example/a2a',
    ],
    [
      'TRAP-61: a transport of 0.3 in mixed case',
      { ...V03, preferredTransport: 'JsonRpc' },
      'JSONRPC 0.3 https://a.example/a2a',
    ],
    [
      'HTTP+JSON alone',
      { ...V1, supportedInterfaces: [interfaceOf({ protocolBinding: 'HTTP+JSON' })] },
      'HTTP+JSON 1.0 https://a.example/a2a',
    ],
    [
      'a version with a patch number',
      { ...V1, supportedInterfaces: [interfaceOf({ protocolVersion: '1.0.2' })] },
      'JSONRPC 1.0 https://a.example/a2a',
    ],
    [
      'no version of its interface',
      { ...V1, supportedInterfaces: [{ url: 'https://a.example/a2a', protocolBinding: 'JSONRPC' }] },
      'JSONRPC 1.0 https://a.example/a2a',
    ],
    ['unknown members', { ...V1, 'x-color': 'red', skills: [] }, 'JSONRPC 1.0 https://a.example/a2a'],
    [
      'nothing but a name and an interface',
      { name: 'x', supportedInterfaces: V1.supportedInterfaces },
      'JSONRPC 1.0 https://a.example/a2a',
    ],
    [
      'a tenant that is null',
      { ...V1, supportedInterfaces: [interfaceOf({ tenant: null })] },
      'JSONRPC 1.0 https://a.example/a2a',
    ],
  ])('O-62: %s is understood', (_what, card, expected) => {
    const { binding, codec, url, tenant } = chooseEndpoint(read(card), {});
    expect(`${binding} ${codec.version} ${url}`).toBe(expected);
    expect(tenant).toBeUndefined();
  });

  it('A2A-TEN-01: the tenant of the chosen interface is taken as it is, an empty one is none', () => {
    const tenantOf = (tenant: string): string | undefined =>
      chooseEndpoint(read({ ...V1, supportedInterfaces: [interfaceOf({ tenant })] }), {}).tenant;
    expect(['acme', 'a b/ü', ''].map(tenantOf)).toEqual(['acme', 'a b/ü', undefined]);
  });

  it.each<[string, unknown, string]>([
    ['no JSON', '<html>', 'JSON'],
    ['an empty body', '', 'JSON'],
    ['a list', [V1], 'card must be an object'],
    ['null', 'null', 'card must be an object'],
    ['no name', { ...V1, name: undefined }, 'name is missing'],
    ['a name that is a number', { ...V1, name: 7 }, 'name must be a string'],
    ['a name of a megabyte', { ...V1, name: 'x'.repeat(100_000) }, 'name has more than'],
    ['no interfaces', { ...V1, supportedInterfaces: [] }, 'supportedInterfaces must be a list'],
    [
      'interfaces that are a text',
      { ...V1, supportedInterfaces: 'https://a.example' },
      'supportedInterfaces must be a list',
    ],
    ['an interface that is null', { ...V1, supportedInterfaces: [null] }, 'supportedInterfaces[0] must be an object'],
    [
      'an interface without a URL',
      { ...V1, supportedInterfaces: [{ protocolBinding: 'JSONRPC' }] },
      '.url must be a URL',
    ],
    ['a relative URL', { ...V1, supportedInterfaces: [interfaceOf({ url: '/a2a' })] }, '.url must be a URL'],
    [
      'a binding that is a number',
      { ...V1, supportedInterfaces: [interfaceOf({ protocolBinding: 1 })] },
      '.protocolBinding must be a string',
    ],
    [
      'a version that is a number',
      { ...V1, supportedInterfaces: [interfaceOf({ protocolVersion: 1 })] },
      '.protocolVersion must be a string',
    ],
    [
      'a tenant that is an object',
      { ...V1, supportedInterfaces: [interfaceOf({ tenant: {} })] },
      '.tenant must be a string',
    ],
    ['too many interfaces', { ...V1, supportedInterfaces: Array(51).fill(V1.supportedInterfaces[0]) }, 'more than 50'],
    ['too many skills', { ...V1, skills: Array(1001).fill(V1.skills[0]) }, 'skills has more than 1000'],
    ['skills that are an object', { ...V1, skills: {} }, 'skills must be a list'],
    ['capabilities that are a list', { ...V1, capabilities: [] }, 'capabilities must be'],
    ['signatures that are an object', { ...V1, signatures: {} }, 'signatures must be a list'],
    ['0.3 without a URL', { ...V03, url: undefined }, '.url must be a URL'],
    ['a thousand levels', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`, ''],
    ['a member that would change prototypes', '{"__proto__": {"name": "x"}}', ''],
  ])('O-62: %s is refused, with its fault', (_what, card, expected) => {
    const fault = faultOf(() => read(card));
    expect(fault).toMatchObject({ name: 'RemoteError', kind: 'invalid-answer' });
    expect(fault?.message).toContain(expected);
  });

  it.each([
    ['gRPC alone', { ...V1, supportedInterfaces: [interfaceOf({ protocolBinding: 'GRPC', url: 'a.example:443' })] }],
    ['a version of the future', { ...V1, supportedInterfaces: [interfaceOf({ protocolVersion: '9.0' })] }],
    ['an unknown binding', { ...V1, supportedInterfaces: [interfaceOf({ protocolBinding: 'FAX' })] }],
    ['HTTP+JSON of 0.3', { ...V03, preferredTransport: 'HTTP+JSON' }],
  ])('%s is a card, but cannot be called, and the error lists its interfaces', (_what, card) => {
    expect(faultOf(() => chooseEndpoint(read(card), {}))).toMatchObject({ kind: 'unsupported' });
  });

  it('TRAP-16: a scheme of 0.3 with several flows becomes several, and any of them meets a requirement', () => {
    const flows = {
      clientCredentials: { tokenUrl: 't', scopes: {} },
      authorizationCode: { tokenUrl: 't', scopes: {} },
    };
    const { securitySchemes, securityRequirements } = read({
      ...V03,
      securitySchemes: { login: { type: 'oauth2', flows }, key: { type: 'apiKey', in: 'header', name: 'x' } },
      security: [{ login: ['read'], key: [] }],
    });
    expect(securitySchemes).toEqual({
      'login.clientCredentials': { oauth2SecurityScheme: { flows: { clientCredentials: flows.clientCredentials } } },
      'login.authorizationCode': { oauth2SecurityScheme: { flows: { authorizationCode: flows.authorizationCode } } },
      key: { apiKeySecurityScheme: { location: 'header', name: 'x' } },
    });
    expect(securityRequirements).toEqual([
      { schemes: { 'login.clientCredentials': { list: ['read'] }, key: { list: [] } } },
      { schemes: { 'login.authorizationCode': { list: ['read'] }, key: { list: [] } } },
    ]);
  });
});

/** A server that answers by path. */
function serverOf(answers: Readonly<Record<string, Partial<AgentAnswer> & { readonly text?: string }>>) {
  const asked: string[] = [];
  const http: AgentHttp = {
    send: async ({ url }) => {
      const path = new URL(url).pathname;
      asked.push(path);
      const { status = 200, headers = {}, text = '', body } = answers[path] ?? { status: 404 };
      return { status, headers, body: body ?? piecesOf(text) };
    },
  };
  return { asked, http };
}

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function* endless(): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1024, ' ');
}

describe('versions of one binding', () => {
  it.each([
    [['0.1', '0.3', '1.0'], '1.0'],
    [['0.1', '0.3'], '0.3'],
    [['0.2', '0.1'], '0.1'],
  ])('%j: the newest that is spoken is called, wherever the card has it (S7)', (versions, expected) => {
    const supportedInterfaces = versions.map((protocolVersion) => interfaceOf({ protocolVersion }));
    expect(chooseEndpoint(read({ ...V1, supportedInterfaces }), {}).codec.version).toBe(expected);
  });
});

describe(fetchCard.name, () => {
  it('A2A-CARD-01, V02-04: fetches the newer path first, then the older one', async () => {
    const { asked, http } = serverOf({ '/.well-known/agent.json': { text: '{}' } });
    await fetchCard(http, 'https://a.example');
    expect(asked).toEqual(['/.well-known/agent-card.json', '/.well-known/agent.json']);
  });

  it.each([401, 403])(
    'asks once more with the credential where the card is refused without (B7): %i',
    async (status) => {
      const asked: AgentRequest[] = [];
      const http: AgentHttp = {
        send: async (request) => {
          asked.push(request);
          const isKnown = request.headers['x-key'] === 'k' && request.url.endsWith('?key=a+b');
          const headers: Record<string, string> = isKnown ? {} : { 'www-authenticate': 'Bearer' };
          return { status: isKnown ? 200 : status, headers, body: piecesOf('{}') };
        },
      };
      const credential = { headers: { 'x-key': 'k' }, query: { key: 'a b' } };
      const challenges: string[] = [];
      const credentialOf = async (challenge: string) => {
        challenges.push(challenge);
        return credential;
      };
      await expect(fetchCard(http, 'https://a.example', { credential: credentialOf })).resolves.toMatchObject({
        text: '{}',
        url: 'https://a.example/.well-known/agent-card.json',
      });
      expect(challenges).toEqual(['Bearer']);
      expect(asked.map(({ headers }) => headers['x-key'])).toEqual([undefined, 'k']);
      for (const none of [{}, { credential: async () => ({}) }]) {
        await expect(fetchCard(http, 'https://a.example', none)).rejects.toMatchObject({ kind: 'auth', status });
      }
      credential.headers['x-key'] = 'wrong';
      asked.length = 0;
      await expect(fetchCard(http, 'https://a.example', { credential: credentialOf })).rejects.toMatchObject({
        status,
      });
      expect(asked).toHaveLength(2);
    },
  );

  it('O-62: follows no redirect, wherever it leads', async () => {
    const headers = { location: 'http://169.254.169.254/latest/meta-data' };
    const { asked, http } = serverOf({ '/.well-known/agent-card.json': { status: 302, headers } });
    await expect(fetchCard(http, 'https://a.example')).rejects.toMatchObject({ name: 'RemoteError', status: 302 });
    expect(asked).toHaveLength(1);
  });

  it('O-62: reads 256 KiB of a card that does not end', async () => {
    const { http } = serverOf({ '/.well-known/agent-card.json': { body: endless() } });
    await expect(fetchCard(http, 'https://a.example')).rejects.toMatchObject({ kind: 'invalid-answer' });
  });

  it('has no address for a URL of another scheme or with a password in it', async () => {
    const { http } = serverOf({});
    for (const reference of ['file:///etc/passwd', 'ftp://a.example', 'https://me:secret@a.example', 'http://']) {
      await expect(fetchCard(http, reference)).rejects.toMatchObject({ kind: 'unsupported' });
    }
  });
});
