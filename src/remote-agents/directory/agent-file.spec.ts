import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readAgentsFile } from './agent-file.js';
import { bridgedId, definitionIn, isAsPinned } from './exposed-skill.js';
import { exposedSkills } from './exposed-skills.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { SKILL_SCHEMA_EXTENSION } from '@parley/sdk/skill/contract/skill-schema.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-agents-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function read(content: unknown, variables: Readonly<Record<string, string>> = {}) {
  const path = join(folder, 'agents.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readAgentsFile(path, variables);
}

describe(readAgentsFile.name, () => {
  it('reads agents with defaults, and secrets from variables', async () => {
    const auth = { type: 'oauth2', tokenUrl: 'https://t.example', clientId: 'me', secret: 'env:S' };
    const origins = ['https://b.example/x'];
    const agents = await read(
      { a: { card: 'https://a.example' }, b: { card: 'https://b.example', auth, origins } },
      { S: 's' },
    );
    expect(agents).toMatchObject([
      {
        name: 'a',
        auth: { type: 'none' },
        timeoutMs: 3_600_000,
        resend: 'safe',
        signature: 'if-present',
        origins: [],
        mode: 'auto',
        maxInFlight: 20,
      },
      { name: 'b', auth: { type: 'oauth2', clientSecret: 's' }, origins: ['https://b.example'] },
    ]);
  });

  it('reads a proof that the platform writes, in place of a secret, and one of them only (IDENT-02)', async () => {
    const file = { clientAssertionFile: '/var/run/token', clientAssertionType: 'spiffe' };
    const client = { type: 'oauth2', tokenUrl: 'https://t.example', clientId: 'me', resource: 'https://a.example/' };
    const agent = (auth: object) => ({ a: { card: 'https://a.example', auth } });
    expect(await read(agent({ ...client, ...file }))).toMatchObject([
      { auth: { resource: 'https://a.example/', assertionFile: { path: '/var/run/token', type: 'spiffe' } } },
    ]);
    const one = 'AGENTS_FILE: a: auth has one of secret, key, clientAssertionFile';
    for (const [auth, fault] of [
      [client, one],
      [{ ...client, ...file, secret: 's' }, one],
      [
        { ...client, clientAssertionFile: 'token' },
        'AGENTS_FILE: a: auth.clientAssertionFile must be an absolute path',
      ],
      [
        { ...client, ...file, clientAssertionType: 'saml' },
        'AGENTS_FILE: a: clientAssertionType is jwt-bearer or spiffe',
      ],
      [{ ...client, ...file, clientAssertion: 'x' }, 'AGENTS_FILE: a: auth: has no member clientAssertion'],
    ] as const) {
      await expect(read(agent(auth))).rejects.toThrow(fault);
    }
  });

  it('reports every fault on a line of its own', async () => {
    const broken = {
      a: { card: 'nowhere', colour: 'red' },
      b: {
        card: 'https://b.example',
        auth: { type: 'bearer', token: 'env:NONE' },
        resend: 'maybe',
        timeoutMs: 0,
        mode: 'fax',
        maxInFlight: 1e6,
      },
      c: { card: 'https://c.example', auth: { type: 'magic' }, origins: 'x', keys: [], reads: [1], expose: { a: 1 } },
      e: {
        card: 'https://e.example',
        auth: { type: 'token-exchange', tokenUrl: 'x', clientId: 'me', key: '{}', scpe: 'a' },
      },
      D: 7,
    };
    const faults = await read(broken).then(
      () => [],
      (error: unknown) => (error as Error).message.split('\n'),
    );
    expect(faults).toEqual([
      'AGENTS_FILE: a: has no member colour',
      'AGENTS_FILE: a: card must be the URL of the card or the agent',
      'AGENTS_FILE: b: auth.token: env:NONE is not set',
      'AGENTS_FILE: b: maxInFlight must be a whole number from 1 to 1000',
      'AGENTS_FILE: b: timeoutMs must be a whole number from 1 to 86400000',
      'AGENTS_FILE: b: resend is safe or never',
      'AGENTS_FILE: b: mode is auto or push or poll',
      'AGENTS_FILE: c: auth.type is none, bearer, apiKey, oauth2 or token-exchange',
      'AGENTS_FILE: c: origins must be a list of https origins',
      'AGENTS_FILE: c: keys must be a JSON Web Key Set: {"keys": [...]}',
      'AGENTS_FILE: c: expose: a: must be an object',
      'AGENTS_FILE: c: reads must be a list of patterns of keys',
      'AGENTS_FILE: e: auth: has no member scpe',
      'AGENTS_FILE: e: auth.tokenUrl must be the URL of the token endpoint',
      'AGENTS_FILE: e: auth.key must be a private key as JWK (EC, Ed25519 or RSA)',
      'AGENTS_FILE: e: auth needs audience or resource',
      'AGENTS_FILE: D: the name must be a lower case letter and up to 63 more, digits, "_" or "-"',
      'AGENTS_FILE: D: must be an object',
    ]);
    await expect(read('{')).rejects.toThrow('AGENTS_FILE: ');
  });
});

describe(exposedSkills.name, () => {
  const input = { type: 'object', properties: { year: { type: 'integer' } } };
  const card: AgentCard = {
    ...{ name: 'Finance', description: 'Counts.', version: '1', supportedInterfaces: [] },
    capabilities: { extensions: [{ uri: SKILL_SCHEMA_EXTENSION, params: { skills: { Forecast: { input } } } }] },
    ...{ defaultInputModes: ['application/json'], defaultOutputModes: ['text/plain'] },
    skills: [{ id: 'Forecast', name: 'Forecast', description: 'Looks ahead.', tags: ['money'] }],
  };
  const definition = definitionIn(card, 'Forecast');
  const shown = async (expose?: object) =>
    exposedSkills(await read({ finance: { card: 'https://f.example', expose } }));

  it('exposes no skill by default', async () => {
    expect(await shown()).toEqual([]);
  });

  it('exposes a skill as the card was pinned, under an id with the name of the agent (MCP-BRIDGE-1)', async () => {
    expect(await shown({ Forecast: { definition, scopes: ['money'] } })).toEqual([
      {
        ...{ id: bridgedId('finance', 'Forecast'), name: 'Forecast', description: 'Looks ahead.', tags: ['money'] },
        aliasOf: 'remote:finance',
        ...{
          inputModes: ['application/json'],
          outputModes: ['text/plain'],
          reachesOut: true,
          scopes: ['money'],
          input,
        },
      },
    ]);
    expect(await shown({ Forecast: { definition, as: 'forecast' } })).toMatchObject([{ id: 'forecast' }]);
  });

  it('gives each skill one id of at most 64 characters', () => {
    expect(bridgedId('finance', 'forecast')).toBe('finance__forecast');
    const ids = ['Forecast', 'forecast!', 'x'.repeat(80), `${'x'.repeat(80)}y`].map((id) => bridgedId('finance', id));
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^finance__[a-z0-9_-]{1,55}$/);
  });

  it('refuses to start without a definition, or with invisible characters in its texts', async () => {
    await expect(shown({ Forecast: {} })).rejects.toThrow(
      'AGENTS_FILE: finance: expose: Forecast: needs the definition',
    );
    const hidden = { ...definition, description: 'Looks\u202e ahead.' };
    await expect(shown({ Forecast: { definition: hidden } })).rejects.toThrow('cannot see');
  });

  it('matches the pin until the card describes the skill differently', async () => {
    const [agent] = await read({ finance: { card: 'https://f.example', expose: { Forecast: { definition } } } });
    const exposed = agent?.exposed[0];
    if (exposed === undefined) throw new Error('There is one');
    const [skill] = card.skills;
    expect(isAsPinned({ ...card, version: '2', description: 'Else' }, exposed)).toBe(true);
    expect(isAsPinned({ ...card, skills: [] }, exposed)).toBe(false);
    expect(
      isAsPinned({ ...card, skills: skill === undefined ? [] : [{ ...skill, description: 'Pays.' }] }, exposed),
    ).toBe(false);
    expect(isAsPinned({ ...card, capabilities: {} }, exposed)).toBe(false);
  });
});
