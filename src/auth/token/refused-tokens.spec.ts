import { describe, expect, it } from '@jest/globals';
import { RefusedTokens } from './refused-tokens.js';

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const aToken = (claims: object): string => `${encoded({ alg: 'ES256' })}.${encoded(claims)}.AAAA`;

describe(RefusedTokens, () => {
  it('logs issuer, audience and the setting of a refusal once a minute for each reason (B20)', () => {
    const lines: unknown[] = [];
    const refused = new RefusedTokens({ warn: (line: unknown) => void lines.push(line) });
    const token = aToken({ iss: 'https://other.example', aud: ['a', 'b'] });
    for (let times = 0; times < 100; times += 1) {
      refused.note('issuer', token);
      refused.note('audience', token);
    }
    const seen = { event: 'token.refused', iss: 'https://other.example', aud: ['a', 'b'] };
    expect(lines).toEqual([
      { ...seen, reason: 'issuer', setting: 'JWT_ISSUER, auth.issuers' },
      { ...seen, reason: 'audience', setting: 'JWT_AUDIENCE' },
    ]);
  });

  it('bounds and escapes the claims of a token', () => {
    const lines: { iss?: string; aud?: string[] }[] = [];
    const refused = new RefusedTokens({ warn: (line: unknown) => void lines.push(line as object) });
    refused.note(
      'issuer',
      aToken({ iss: `a\n\u202e${'x'.repeat(9_00)}`, aud: Array.from({ length: 50 }, () => 'y'.repeat(50)) }),
    );
    refused.note('malformed', 'not a token');
    refused.note('type', aToken({ iss: {}, aud: [1, { a: 1 }] }));
    expect(lines[0]?.iss).toMatch(/^a\\u000a\\u202ex{197}$/);
    expect(lines[0]?.aud).toHaveLength(5);
    expect(lines.slice(1)).toEqual([
      { event: 'token.refused', reason: 'malformed' },
      { event: 'token.refused', reason: 'type', aud: [], setting: 'JWT_PROFILE' },
    ]);
  });
});
