import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { exportJWK, FlattenedSign, generateKeyPair } from 'jose';
import { parley } from '../../../../test/kit/app/parley-command.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { signedForm } from '@parley/protocol/card/signed-form.js';

const CARD: AgentCard = {
  ...{ name: 'Agent', description: 'An agent', version: '1', capabilities: {} },
  supportedInterfaces: [{ url: 'https://agent.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [{ id: 's', name: 'S', description: 'A skill', tags: ['t'] }],
};

let folder: string;
let signed: AgentCard;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-verify-'));
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const other = await generateKeyPair('ES256');
  const payload = new TextEncoder().encode(canonicalize(signedForm(CARD)) ?? '');
  const { protected: header = '', signature } = await new FlattenedSign(payload)
    .setProtectedHeader({ alg: 'ES256', kid: 'mine' })
    .sign(privateKey);
  signed = { ...CARD, signatures: [{ protected: header, signature }] };
  const keys = async (key: Parameters<typeof exportJWK>[0], kid: string): Promise<string> =>
    JSON.stringify({ keys: [{ ...(await exportJWK(key)), kid, alg: 'ES256' }] });
  await writeFile(join(folder, 'mine.json'), await keys(publicKey, 'mine'));
  await writeFile(join(folder, 'other.json'), await keys(other.publicKey, 'other'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('parley send to an agent of older versions only', () => {
  it.each([
    ['0.3', '--a2a-version 0.3'],
    ['0.3.0', '--a2a-version 0.3'],
    ['7.0', undefined],
  ])('names the flag for a version that is spoken (conformance C10): %s', async (protocolVersion, flag) => {
    const path = join(folder, 'older.json');
    const card = { ...CARD, supportedInterfaces: [{ ...CARD.supportedInterfaces[0], protocolVersion }] };
    await writeFile(path, JSON.stringify(card));
    const { out, code } = await parley(['send', 'x', '-a', path, '-o', 'json']);
    expect(code).toBe(1);
    const { hint } = (JSON.parse(out) as { error: { hint: string | null } }).error;
    expect(hint).toEqual(flag === undefined ? null : expect.stringContaining(flag));
  });
});

describe('parley card get --verify', () => {
  it.each<[string, (card: AgentCard) => object, string, number, RegExp]>([
    ['the card that was signed', (card) => card, 'mine', 0, /Signature: verified by mine/],
    [
      'a card that was changed after that',
      (card) => ({ ...card, description: 'Other' }),
      'mine',
      1,
      /Signature: altered \(.*gateway/,
    ],
    ['a card of another key', (card) => card, 'other', 1, /Signature: unverifiable/],
    ['a card without a signature', () => CARD, 'mine', 1, /Signature: absent/],
  ])('fails unless a pinned key holds: %s (B6)', async (_, of, keys, exit, said) => {
    const path = join(folder, 'card.json');
    await writeFile(path, JSON.stringify(of(signed)));
    for (const more of [[], ['--validate']]) {
      const { out, code } = await parley(['card', 'get', path, '--verify', join(folder, `${keys}.json`), ...more]);
      expect([code, out]).toEqual([exit, expect.stringMatching(said)]);
    }
  });
});
