import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { CardSigner } from '../../../src/agents/card/card-signer.js';
import { newCardSigningKeys, parseCardSigningKeys } from '../../../src/agents/card/card-signing-keys.js';
import type { AgentCardSignature } from '@parley/protocol/model/agent-card.js';
import { ardEntry } from '../../../src/agents/card/ard/ard-documents.js';
import { listingOf } from '../../../src/agents/card/ard/listing.js';
import { cardHash, driftOf, originsOf } from '../../../src/registry/entry/card-drift.js';
import { chooseEndpoint } from '@parley/client/call/endpoint.js';
import { cardOf } from '@parley/client/card/fetch-card.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { verifyCard } from '@parley/client/card/verify-card.js';
import { definitionIn } from '../../../src/remote-agents/directory/exposed-skill.js';
import { inputFaults } from '../../../src/remote-agents/mirror/input-faults.js';
import { SKILL_SCHEMA_EXTENSION } from '@parley/sdk/skill/contract/skill-schema.js';

const V1 = {
  ...{
    name: 'Finance',
    description: 'Reads invoices.',
    version: '1.0.0',
    provider: { organization: 'a', url: 'https://a.example' },
  },
  supportedInterfaces: [
    { url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 't' },
    { url: 'https://a.example/old', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  ],
  capabilities: {
    streaming: true,
    extensions: [
      { uri: SKILL_SCHEMA_EXTENSION, required: true, params: { skills: { read: { input: { type: 'object' } } } } },
    ],
  },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [
    {
      id: 'read',
      name: 'Read',
      description: 'Reads.',
      tags: ['finance'],
      examples: ['Read this'],
      inputModes: ['text/plain'],
    },
  ],
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  signatures: [{ protected: 'e30', signature: 'x', header: {} }],
};
const V03 = {
  ...{ name: 'Finance', description: '', version: '1', url: 'https://a.example/', preferredTransport: 'JSONRPC' },
  ...{ protocolVersion: '0.3.0', additionalInterfaces: [{ url: 'https://a.example/r', transport: 'HTTP+JSON' }] },
  ...{ capabilities: { streaming: true }, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [{ id: 'read', name: 'Read', description: 'Reads.', tags: [], security: [{ oauth: ['a'] }] }],
  securitySchemes: { oauth: { type: 'oauth2', flows: { implicit: {}, password: {} } } },
  security: [{ oauth: ['a'] }],
};

/** A value as JSON has it: odd texts, deep and large ones among them. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    [],
    {},
    '',
    0,
    true,
    [null],
    [[]],
    [{}],
    { a: null },
    '\u202e\u0000',
    'x'.repeat(30_000),
    'http://[',
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

type Path = readonly (string | number)[];

function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [
    at,
    ...Object.entries(value).flatMap(([name, member]) =>
      pathsIn(member, [...at, Array.isArray(value) ? Number(name) : name]),
    ),
  ];
}

/** A copy with another value at a path. */
function changed(value: unknown, [first, ...rest]: Path, other: unknown): unknown {
  if (first === undefined) return other;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string | number, unknown> | unknown[] = Array.isArray(value)
    ? [...(value as unknown[])]
    : { ...value };
  Reflect.set(copy, first, changed(Reflect.get(copy, first), rest, other));
  return copy;
}

/** Cards with one to three members that hold something else. */
function brokenCards(card: object): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.constantFrom(...pathsIn(card)), anything);
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce<unknown>((made, [path, other]) => changed(made, path, other), card));
}

const KEYS = parseCardSigningKeys(newCardSigningKeys());
const pinned = { keys: KEYS.map(({ publicJwk }) => publicJwk) };

describe('cards of others', () => {
  it('are refused with a reason or used as they are, whatever is in them: 1,000 broken ones', async () => {
    let used = 0;
    const whole = cardOf(JSON.stringify(V1)).card;
    const cards = fc.oneof(brokenCards(V1), brokenCards(V03));
    await fc.assert(
      fc.asyncProperty(cards, async (value) => {
        const text = JSON.stringify(value);
        try {
          const { card, raw } = cardOf(text);
          used += 1;
          chooseEndpoint(card, {});
          expect(
            JSON.stringify(ardEntry('urn:air:a.example:agent:a', 'https://a.example', listingOf(card))).length,
          ).toBeLessThan(40_000);
          expect(cardHash(raw)).toHaveLength(64);
          expect([
            ...driftOf({ card: whole, signature: 'verified' }, { card, signature: 'absent' }).risky,
            ...originsOf(card),
          ]).toBeDefined();
          inputFaults(card, undefined, { parts: [{ data: {} }] });
          definitionIn(card, 'read');
          expect((await verifyCard(card, pinned)).outcome).not.toBe('verified');
        } catch (error) {
          if (!(error instanceof RemoteError)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
    expect(used).toBeGreaterThan(100);
  });

  it('have their security schemes where servers of @a2a-js/sdk 1.3 write them as they hold them in memory', () => {
    const value = { location: 'header', name: 'X-Key' };
    const securitySchemes = { key: { scheme: { $case: 'apiKeySecurityScheme', value } } };
    const { card } = cardOf(JSON.stringify({ ...V1, securitySchemes }));
    expect(card.securitySchemes).toEqual({ key: { apiKeySecurityScheme: value } });
  });

  describe('whose signature was tampered with', () => {
    const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { card } = cardOf(JSON.stringify({ ...V1, signatures: [] }));
    const signed = async () => ({ ...card, signatures: await new CardSigner(KEYS, '').signatures(card) });
    const outcomeOf = async (change: (signature: AgentCardSignature) => AgentCardSignature) => {
      const card = await signed();
      return (await verifyCard({ ...card, signatures: card.signatures.map(change) }, pinned)).outcome;
    };

    it('are verified only while it is whole', async () => {
      expect(await outcomeOf((one) => one)).toBe('verified');
      expect(await outcomeOf((one) => ({ ...one, signature: one.signature.slice(0, -4) }))).toBe('unverifiable');
      const { signatures: _cut, ...without } = await signed();
      expect(await verifyCard(without, pinned)).toEqual({ outcome: 'absent' });
    });

    it.each(['none', 'HS256', 'ES512'])('are not verified by another algorithm: %s', async (alg) => {
      const header = base64({ alg, kid: KEYS[0]?.kid, jwk: KEYS[0]?.publicJwk });
      // The public key as the secret of an HMAC: what a verifier falls for that believes the header.
      const mac = createHmac('sha256', JSON.stringify(KEYS[0]?.publicJwk)).update(header).digest('base64url');
      for (const signature of ['', mac]) {
        expect(await outcomeOf(() => ({ protected: header, signature }))).toBe('unverifiable');
      }
    });
  });
});
