import { type AgentCard as SdkCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import canonicalize from 'canonicalize';
import { calculateJwkThumbprint, decodeProtectedHeader, flattenedVerify } from 'jose';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';

import { CardSigner } from './card-signer.js';
import { signedForm } from '@parley/protocol/card/signed-form.js';
import { newCardSigningKeys, parseCardSigningKeys, type CardSigningKeys } from './card-signing-keys.js';

const KEY_SET = 'https://agent.example/.well-known/jwks.json';

/** A card with values that verifiers may read differently: empty lists, false, other scripts, free JSON. */
const CARD: AgentCard = {
  name: 'Agént ☃',
  description: 'd',
  version: '1',
  supportedInterfaces: [{ url: 'https://agent.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [{ uri: 'urn:x', required: false, params: { a: '', b: [], c: 1.5, d: null, e: { f: [0, false] } } }],
  },
  securitySchemes: { oauth2: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
  securityRequirements: [{ schemes: { oauth2: { list: [] } } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: [],
  skills: [{ id: 'a', name: 'A', description: 'a', tags: [], examples: [] }],
};

// The SDK logs every signature that it could not use.
beforeEach(() => {
  jest.spyOn(console, 'debug').mockImplementation(() => undefined);
});

function keys(count: number): CardSigningKeys {
  const sets = Array.from({ length: count }, () => JSON.parse(newCardSigningKeys()) as { keys: readonly object[] });
  return parseCardSigningKeys(JSON.stringify({ keys: sets.flatMap((set) => set.keys) }));
}

function verifierFor(known: CardSigningKeys): (card: SdkCard) => Promise<void> {
  return verifyAgentCardSignature(async (kid) => {
    const key = known.find((it) => it.kid === kid);
    if (key === undefined) throw new Error('unknown key');
    return key.publicJwk;
  });
}

describe(CardSigner.name, () => {
  it('signs the canonical card, detached, with the headers required by the specification (A2A-SIGN-01, -03, -04)', async () => {
    const [key] = keys(1);
    const signatures = await new CardSigner([key!], KEY_SET).signatures(CARD);
    const [first] = signatures;
    expect(decodeProtectedHeader(first!)).toEqual({ alg: 'ES256', typ: 'JOSE', kid: key!.kid, jku: KEY_SET });
    const payload = Buffer.from(canonicalize(signedForm(CARD)) ?? '').toString('base64url');
    await flattenedVerify({ ...first!, payload }, key!.publicJwk);
    expect(first).not.toHaveProperty('payload');
  });

  it('is verified by the SDK (A2A-SIGN-02, TRAP-55)', async () => {
    const known = keys(1);
    const signed = { ...CARD, signatures: await new CardSigner(known, KEY_SET).signatures(CARD) };
    await verifierFor(known)(JSON.parse(JSON.stringify(signed)) as SdkCard);
    await expect(verifierFor(known)({ ...(signed as unknown as SdkCard), name: 'forged' })).rejects.toThrow();
  });

  it('is verified with either of two keys (A2A-SIGN-05)', async () => {
    const [old, young] = keys(2);
    const signatures = await new CardSigner([old!, young!], KEY_SET).signatures(CARD);
    const signed = JSON.parse(JSON.stringify({ ...CARD, signatures })) as SdkCard;
    await verifierFor([old!])(signed);
    await verifierFor([young!])(signed);
  });

  it('names no key set without https (A2A-SIGN-07)', async () => {
    const signatures = await new CardSigner(keys(1), 'http://localhost/jwks.json').signatures(CARD);
    expect(decodeProtectedHeader(signatures[0]!)).not.toHaveProperty('jku');
  });

  it('signs once where all verifiers read the same payload', async () => {
    const plain: AgentCard = {
      ...CARD,
      capabilities: { streaming: true },
      securityRequirements: [],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'a', name: 'A', description: 'a', tags: ['t'] }],
    };
    expect(await new CardSigner(keys(1), KEY_SET).signatures(plain)).toHaveLength(1);
  });
});

describe(signedForm.name, () => {
  it('keeps required and explicit members, and omits other defaults (A2A-SIGN-02)', () => {
    expect(signedForm({ ...CARD, signatures: [{ protected: 'p', signature: 's' }] })).toEqual({
      ...CARD,
      capabilities: {
        ...CARD.capabilities,
        extensions: [{ uri: 'urn:x', params: { a: '', b: [], c: 1.5, d: null, e: { f: [0, false] } } }],
      },
      securityRequirements: [{ schemes: { oauth2: {} } }],
      skills: [{ id: 'a', name: 'A', description: 'a', tags: [] }],
    });
  });
});

describe(parseCardSigningKeys.name, () => {
  it.each([
    ['no JSON', '-----BEGIN', 'JWK set'],
    ['an empty set', '{"keys":[]}', 'at least one'],
    ['a public key', '{"keys":[{"kty":"EC","crv":"P-256","x":"a","y":"b"}]}', 'Signing key 1 must be a private EC key'],
    [
      'a broken key',
      '{"keys":[{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"c"}]}',
      'Signing key 1 is not a valid key',
    ],
  ])('refuses %s', (_what, text, reason) => {
    expect(() => parseCardSigningKeys(text)).toThrow(reason);
  });

  it('refuses a repeated key', () => {
    const { keys: set } = JSON.parse(newCardSigningKeys()) as { keys: object[] };
    expect(() => parseCardSigningKeys(JSON.stringify({ keys: [...set, ...set] }))).toThrow('twice');
  });

  it('names a key without a name by its thumbprint (RFC 7638)', async () => {
    const [key] = keys(1);
    expect(key!.kid).toBe(await calculateJwkThumbprint(key!.publicJwk));
  });

  it('publishes no private member', () => {
    const [key] = parseCardSigningKeys(newCardSigningKeys());
    expect(Object.keys(key!.publicJwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });
});
