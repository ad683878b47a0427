import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { JWK } from 'jose';
import type { IssuerOptions } from './issuer-options.js';
import { JwtVerifier } from './jwt.verifier.js';

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'https://agent.example';
const KID = 'a';

interface Signer {
  readonly jwk: JWK;
  readonly privateKey: KeyObject;
}

function aSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { jwk: publicKey.export({ format: 'jwk' }), privateKey };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An issuer with one key of that name, and a clock. */
class Fixture {
  nowMs = 1_800_000_000_000;
  readonly signer = aSigner();
  published: JWK | undefined = this.signer.jwk;
  /** The key that a request to the issuer finds under the same name. */
  replacement: JWK | undefined;
  readonly verifier: JwtVerifier;

  constructor(more: Partial<IssuerOptions> = {}) {
    const keys = {
      find: () => Promise.resolve(this.published),
      replaced: () => Promise.resolve(this.replacement),
    };
    const options = { issuer: ISSUER, audiences: [AUDIENCE, 'second'], tenant: 'acme', ...more };
    this.verifier = new JwtVerifier([{ options, keys }], () => this.nowMs);
  }

  token({ seconds = 600, signer = this.signer, more = {} } = {}): string {
    const iat = Math.floor(this.nowMs / 1000);
    const claims = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: 'billing',
      client_id: 'billing',
      jti: '1',
      iat,
      exp: iat + seconds,
      ...more,
    };
    const input = `${encoded({ alg: 'ES256', kid: KID, typ: 'at+jwt' })}.${encoded(claims)}`;
    const signature = sign('sha256', Buffer.from(input), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  }

  async verdict(token: string): Promise<string> {
    const verdict = await this.verifier.verify(token);
    return typeof verdict === 'string' ? verdict : verdict.principal.client;
  }
}

describe(JwtVerifier.name, () => {
  it('reads the chain of a delegated token, the latest actor first, and refuses an unreadable one (O-14)', async () => {
    const fixture = new Fixture();
    const actors = async (act: unknown): Promise<unknown> => {
      const verdict = await fixture.verifier.verify(fixture.token({ more: { act } }));
      return typeof verdict === 'string' ? verdict : verdict.principal.actors;
    };
    expect(await actors({ sub: 'planner', act: { sub: 'portal' } })).toEqual(['planner', 'portal']);
    expect(await actors(undefined)).toBeUndefined();
    const endless = Array.from({ length: 9 }).reduce<object | undefined>((act) => ({ sub: 'x', act }), undefined);
    for (const wrong of ['planner', {}, { sub: '' }, { sub: 'planner', act: [] }, endless]) {
      expect([wrong, await actors(wrong)]).toEqual([wrong, 'claims']);
    }
  });

  it('accepts a valid token repeatedly', async () => {
    const fixture = new Fixture();
    const token = fixture.token();
    expect([await fixture.verdict(token), await fixture.verdict(token)]).toEqual(['billing', 'billing']);
  });

  it('refuses a token accepted before once its key is withdrawn or replaced', async () => {
    const fixture = new Fixture();
    const token = fixture.token();
    await fixture.verdict(token);
    fixture.published = undefined;
    expect(await fixture.verdict(token)).toBe('key');
    fixture.published = aSigner().jwk;
    expect(await fixture.verdict(token)).toBe('signature');
    fixture.published = { ...fixture.signer.jwk };
    expect(await fixture.verdict(token)).toBe('billing');
  });

  it('accepts a token of a key that the issuer has since published under the same name (B9)', async () => {
    const fixture = new Fixture();
    const next = aSigner();
    const token = fixture.token({ signer: next });
    expect(await fixture.verdict(token)).toBe('signature');
    fixture.replacement = next.jwk;
    expect(await fixture.verdict(token)).toBe('billing');
    expect(await fixture.verdict(fixture.token({ signer: aSigner() }))).toBe('signature');
  });

  it.each<readonly [unknown, string, string]>([
    [AUDIENCE, 'billing', 'billing'],
    [[AUDIENCE], 'billing', 'billing'],
    [[AUDIENCE, 'second'], 'billing', 'billing'],
    [[AUDIENCE, 'https://other.example'], 'billing', 'audience'],
    [['https://other.example', AUDIENCE], 'billing', 'audience'],
    [['https://other.example'], 'audience', 'audience'],
    ['https://other.example', 'audience', 'audience'],
    [[], 'audience', 'audience'],
    [undefined, 'audience', 'audience'],
    [[AUDIENCE, { aud: AUDIENCE }], 'billing', 'audience'],
    [`${AUDIENCE} https://other.example`, 'audience', 'audience'],
  ])(
    'takes a token for %j as it is for this service, or for it alone with singleAudience (IDENT-06)',
    async (aud, usual, alone) => {
      const verdicts = [new Fixture(), new Fixture({ singleAudience: true })].map((one) =>
        one.verdict(one.token({ more: { aud } })),
      );
      expect(await Promise.all(verdicts)).toEqual([usual, alone]);
    },
  );

  it('refuses a token accepted before once it has expired', async () => {
    const fixture = new Fixture();
    const token = fixture.token({ seconds: 60 });
    await fixture.verdict(token);
    fixture.nowMs += 100_000;
    expect(await fixture.verdict(token)).toBe('expired');
  });

  it('refuses an accepted token outside of its validity period', async () => {
    const fixture = new Fixture();
    const token = fixture.token({ seconds: 60, more: { nbf: Math.floor(fixture.nowMs / 1000) + 20 } });
    expect(await fixture.verdict(token)).toBe('billing');
    const begun = fixture.nowMs;
    // Its iat and nbf, and its exp, with the usual skew of thirty seconds.
    for (const [after, verdict] of [
      ...([
        [-10_001, 'not yet valid'],
        [-10_000, 'billing'],
        [89_999, 'billing'],
        [90_000, 'expired'],
      ] as const),
    ]) {
      fixture.nowMs = begun + after;
      expect([after, await fixture.verdict(token)]).toEqual([after, verdict]);
    }
  });

  it('refuses a foreign signature, also repeated and next to a valid one', async () => {
    const fixture = new Fixture();
    const forged = fixture.token({ signer: aSigner() });
    await fixture.verdict(fixture.token());
    expect([await fixture.verdict(forged), await fixture.verdict(forged)]).toEqual(['signature', 'signature']);
  });
});
