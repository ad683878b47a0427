import { describe, expect, it } from '@jest/globals';
import { VerifiedTokens } from './verified-tokens.js';

const verified = { parsed: { header: {}, claims: {} }, key: { kty: 'EC' } };

describe(VerifiedTokens.name, () => {
  it('finds added tokens', () => {
    const tokens = new VerifiedTokens();
    tokens.add('a.b.c', verified);
    expect(tokens.find('a.b.c')).toBe(verified);
    expect(tokens.find('a.b.d')).toBeUndefined();
  });

  it('evicts the oldest beyond its bound', () => {
    const tokens = new VerifiedTokens(2);
    for (const token of ['1', '2', '3']) tokens.add(token, verified);
    expect(['1', '2', '3'].map((token) => tokens.find(token) !== undefined)).toEqual([false, true, true]);
  });
});
