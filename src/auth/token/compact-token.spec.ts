import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_TOKEN_LENGTH, parseCompactToken } from './compact-token.js';

const encode = (text: string): string => Buffer.from(text).toString('base64url');
const HEADER = encode('{"alg":"RS256"}');
const CLAIMS = encode('{"sub":"a?>"}');
const GOOD = `${HEADER}.${CLAIMS}.c2ln`;

describe(parseCompactToken.name, () => {
  it('accepts three canonical parts', () => {
    expect(parseCompactToken(GOOD)).toEqual({ header: { alg: 'RS256' }, claims: { sub: 'a?>' } });
  });

  it('refuses every other form of the same token', () => {
    const others = [
      `${GOOD} `,
      ` ${GOOD}`,
      `${GOOD}=`,
      `${GOOD}.x.y`,
      `${HEADER}.${CLAIMS}`,
      `${HEADER}.${CLAIMS}.`,
      `.${CLAIMS}.c2ln`,
      `${HEADER}.${CLAIMS}.c2lo==`,
      `${HEADER}.${CLAIMS}.c2k`.replace(/k$/, 'l'),
      GOOD.replace('_', '/').replace('-', '+') === GOOD ? `${HEADER}.${CLAIMS}.+/+/` : GOOD.replace('_', '/'),
      JSON.stringify({ protected: HEADER, payload: CLAIMS, signature: 'c2ln' }),
      `${encode('[]')}.${CLAIMS}.c2ln`,
      `${HEADER}.${encode('[1]')}.c2ln`,
      `${HEADER}.${encode('null')}.c2ln`,
      `${HEADER}.${encode('not json')}.c2ln`,
      `${HEADER}.${Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('base64url')}.c2ln`,
      `${HEADER}.${encode(JSON.stringify({ sub: 'x'.repeat(MAX_TOKEN_LENGTH) }))}.c2ln`,
    ];
    expect(others.filter((token) => parseCompactToken(token) !== undefined)).toEqual([]);
  });

  it('never throws, and accepts only tokens that encode back to themselves', () => {
    const part = fc.oneof(fc.string(), fc.json().map(encode), fc.constantFrom(HEADER, CLAIMS, 'c2ln', ''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const parsed = parseCompactToken(parts.join('.'));
        if (parsed !== undefined) expect(parts.join('.').split('.')).toHaveLength(3);
      }),
      { numRuns: 5_000 },
    );
  });

  it('keeps a __proto__ member apart from the prototype', () => {
    const parsed = parseCompactToken(`${HEADER}.${encode('{"__proto__":{"sub":"root"}}')}.c2ln`);
    expect(parsed?.claims.sub).toBeUndefined();
    expect(({} as Record<string, unknown>).sub).toBeUndefined();
  });
});
