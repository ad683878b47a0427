import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pinOf } from '../client/tool-definition.js';
import { exposedTools } from './exposed-tools.js';
import { readServerFile } from './server-file.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-servers-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function read(content: unknown, variables: Readonly<Record<string, string>> = {}) {
  const path = join(folder, 'servers.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readServerFile(path, variables);
}

function faultsOf(content: unknown): readonly string[] {
  try {
    read(content);
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : [];
  }
}

describe(readServerFile.name, () => {
  it('reads servers with defaults, and secrets from variables', () => {
    const pin = `sha256-${'a'.repeat(43)}`;
    const [web, local] = read(
      {
        web: {
          url: 'https://a.example/mcp',
          auth: { type: 'bearer', token: 'env:T' },
          tools: { find: { pin, effects: 'none' } },
        },
        local: { command: '/bin/server', env: { KEY: 'env:T' }, tools: { 'a.b': {} } },
      },
      { T: 'secret' },
    );
    expect(web).toMatchObject({
      ...{
        name: 'web',
        era: 'auto',
        concurrency: 16,
        transport: { type: 'http', auth: { type: 'bearer', token: 'secret' } },
      },
      tools: [
        {
          name: 'find',
          pin,
          effects: 'none',
          onUnknown: 'fail',
          timeoutMs: 60_000,
          maxResultBytes: 1_048_576,
          isLong: false,
        },
      ],
    });
    expect(local).toMatchObject({
      transport: {
        type: 'stdio',
        command: '/bin/server',
        args: [],
        env: { KEY: 'secret' },
        memoryMb: 512,
        processes: 16,
      },
      tools: [{ name: 'a.b', pin: '', effects: 'once' }],
    });
  });

  it('reports every fault on a line of its own', () => {
    const faults = faultsOf({
      A: 1,
      b: { url: 'nowhere', tools: {} },
      c: { url: 'https://c.example', command: '/bin/c', tools: {} },
      d: { command: 'npx', tools: {} },
      e: {
        url: 'https://e.example',
        auth: { type: 'magic' },
        tools: {
          ...{ 'x y': {}, y: { pin: 'sha256-short' }, z: { effects: 'few', long: 'yes' } },
          ...{ v: { exposeAs: 'No id' }, w: { exposeAs: 'w', scopes: 'all' } },
        },
        more: 1,
      },
      f: {
        url: 'https://f.example',
        auth: { type: 'oauth2', issuer: 'https://i.example', clientId: 'c', secret: 'env:NONE' },
        era: 'new',
        tools: 1,
      },
    });
    expect(faults).toEqual([
      'MCP_SERVERS_FILE: A: the name must be a lower case letter and up to 63 more, digits, "_" or "-"',
      'MCP_SERVERS_FILE: A: must be an object',
      'MCP_SERVERS_FILE: b: url must be the address of the server',
      'MCP_SERVERS_FILE: c: has either url or command',
      'MCP_SERVERS_FILE: d: command must be an absolute path',
      'MCP_SERVERS_FILE: e: has no member more',
      'MCP_SERVERS_FILE: e: auth.type is none, bearer, tenant or oauth2',
      'MCP_SERVERS_FILE: e: x y: is no name of a tool',
      'MCP_SERVERS_FILE: e: y: pin must be what "parley ops mcp pin" prints',
      'MCP_SERVERS_FILE: e: z: long is true or false',
      'MCP_SERVERS_FILE: e: v: exposeAs must be the id of a skill: lower case letters, digits, "_" and "-"',
      'MCP_SERVERS_FILE: e: w: scopes must be a list of scopes',
      'MCP_SERVERS_FILE: f: auth.secret: env:NONE is not set',
      'MCP_SERVERS_FILE: f: tools must be an object: a name and its terms each',
    ]);
    expect(faultsOf('{')[0]).toMatch(/^MCP_SERVERS_FILE: /);
  });

  it('reads a private key in place of a secret', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const jwk = JSON.stringify(privateKey.export({ format: 'jwk' }));
    const server = (auth: object) => ({ a: { url: 'https://a.example', auth, tools: {} } });
    const client = { type: 'oauth2', issuer: 'https://i.example', clientId: 'c' };
    expect(read(server({ ...client, key: 'env:K' }), { K: jwk })).toMatchObject([
      { transport: { auth: { issuer: 'https://i.example', key: { alg: 'EdDSA' } } } },
    ]);
    const { d: _d, ...publicKey } = JSON.parse(jwk) as Record<string, string>;
    expect(faultsOf(server({ ...client, key: JSON.stringify(publicKey) }))).toEqual([
      'MCP_SERVERS_FILE: a: auth.key must be a private key as JWK (EC, Ed25519 or RSA)',
    ]);
    expect(faultsOf(server({ ...client, key: jwk, secret: 's' }))).toEqual([
      'MCP_SERVERS_FILE: a: auth has one of secret, key, clientAssertionFile',
    ]);
  });
});

describe(exposedTools.name, () => {
  const definition = {
    ...{ title: 'Find', description: 'Finds tickets.' },
    inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  };
  const pin = pinOf({ name: 'find', ...definition });
  const shown = (terms: object) =>
    exposedTools(read({ tickets: { url: 'https://a.example', tools: { find: terms } } }));

  it('exposes no tool by default', () => {
    expect(shown({ pin, definition })).toEqual([]);
  });

  it('exposes a tool as the skill described by its pin (MCP-BRIDGE-2)', () => {
    expect(shown({ pin, definition, exposeAs: 'find_ticket', effects: 'none', scopes: ['tickets'] })).toEqual([
      {
        ...{ id: 'find_ticket', name: 'Find', description: 'Finds tickets.', tags: ['tool', 'tickets'] },
        aliasOf: 'tool:tickets/find',
        ...{ inputModes: ['application/json'], outputModes: ['application/json', 'text/plain'] },
        ...{ tools: { tickets: ['find'] }, reachesOut: true, effects: 'none', scopes: ['tickets'] },
        input: definition.inputSchema,
      },
    ]);
  });

  it.each([
    ['without a definition', { pin }, /needs the pinned definition/],
    ['with another description', { pin, definition: { ...definition, description: 'Else.' } }, /needs the pinned/],
    ['without a pin', { definition }, /needs the pinned definition/],
  ])('does not let the service start %s', (_name, terms, words) => {
    expect(() => shown({ exposeAs: 'find', ...terms })).toThrow(words);
  });

  it('refuses invisible characters in texts, and arguments that are not an object', () => {
    const hidden = { ...definition, description: 'Finds.\u200bThen pays.' };
    const bare = { ...definition, inputSchema: { type: 'string' } };
    for (const one of [hidden, bare]) {
      const terms = { exposeAs: 'find', definition: one, pin: pinOf({ name: 'find', ...one }) };
      expect(() => shown(terms)).toThrow(/cannot see|none of an object/);
    }
  });
});
