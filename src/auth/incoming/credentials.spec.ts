import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readCredentials } from './credentials.js';
import type { IncomingCall } from './incoming-call.js';

type Headers = Readonly<Record<string, readonly string[]>>;

function aCall(headers: Headers, target = '/'): IncomingCall {
  return { header: (name) => headers[name] ?? [], method: 'POST', target, address: '192.0.2.1' };
}

const kindOf = (headers: Headers, target?: string): string => readCredentials(aCall(headers, target)).kind;

describe(readCredentials.name, () => {
  it('accepts the scheme in any case', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const credentials = readCredentials(aCall({ authorization: [`${scheme} a.b.c`] }));
      expect(credentials).toEqual({ kind: 'token', scheme: 'bearer', token: 'a.b.c' });
    }
    expect(readCredentials(aCall({ authorization: ['DPoP a.b.c'] }))).toMatchObject({ scheme: 'dpop' });
  });

  it('finds no credentials where there are none', () => {
    const none = ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Digest x', 'a.b.c'];
    expect(none.map((value) => kindOf({ authorization: [value] }))).toEqual(none.map(() => 'none'));
    expect(kindOf({})).toBe('none');
  });

  it('ignores tokens in the query, and refuses them beside a header (RFC 6750 §2)', () => {
    expect(kindOf({}, '/?access_token=a.b.c')).toBe('none');
    expect(kindOf({ authorization: ['Bearer a.b.c'] }, '/?x=1&access_token=a.b.c')).toBe('malformed');
  });

  it('refuses credentials sent twice or in two ways', () => {
    expect(kindOf({ authorization: ['Bearer a.b.c', 'Bearer a.b.c'] })).toBe('malformed');
    expect(kindOf({ 'x-api-key': ['a.b', 'a.b'] })).toBe('malformed');
    expect(kindOf({ authorization: ['Basic x'], 'x-api-key': ['a.b'] })).toBe('malformed');
  });

  it('refuses characters that no token has', () => {
    const values = [
      'Bearer a.b.c ',
      'Bearer a.b.c d',
      'Bearer a.b.c,Bearer a.b.c',
      'Bearer "a"',
      'Bearer {}',
      'Bearer é',
    ];
    expect(values.map((value) => kindOf({ authorization: [value] }))).toEqual(values.map(() => 'malformed'));
  });

  it('answers any input, with no more of it than the token', () => {
    const pieces = fc.constantFrom('Bearer', 'dpop', ' ', '\t', ',', '=', 'a.b.c', 'Basic', '"', '\u0000', '..', 'é');
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 3 }), fc.array(anything, { maxLength: 2 }), (authorization, keys) => {
        const credentials = readCredentials(aCall({ authorization, 'x-api-key': keys }, `/?${keys.join('&')}`));
        if (credentials.kind !== 'token') return;
        expect(credentials.token).toMatch(/^[A-Za-z0-9\-._~+/]+=*$/);
        expect(authorization).toHaveLength(1);
      }),
      { numRuns: 20_000 },
    );
  });
});
