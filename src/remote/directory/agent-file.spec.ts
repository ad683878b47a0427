import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readAgentsFile } from './agent-file.js';

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

  it('names every fault in a line', async () => {
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
      c: { card: 'https://c.example', auth: { type: 'magic' }, origins: 'x', keys: [], reads: [1] },
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
      'AGENTS_FILE: c: auth.type is none, bearer, apiKey or oauth2',
      'AGENTS_FILE: c: origins must be a list of https origins',
      'AGENTS_FILE: c: keys must be a JSON Web Key Set: {"keys": [...]}',
      'AGENTS_FILE: c: reads must be a list of patterns of keys',
      'AGENTS_FILE: D: the name must be a lower case letter and up to 63 more, digits, "_" or "-"',
      'AGENTS_FILE: D: must be an object',
    ]);
    await expect(read('{')).rejects.toThrow('AGENTS_FILE: ');
  });
});
