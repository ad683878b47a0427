import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { A2AError } from '../model/errors.js';
import { parseJson } from './parse-json.js';

const parse = (text: string) => parseJson(Buffer.from(text));

function kindOf(body: Buffer | string): string {
  try {
    parseJson(Buffer.from(body));
  } catch (error) {
    if (error instanceof A2AError) return error.kind;
    throw error;
  }
  return 'none';
}

describe(parseJson.name, () => {
  it('gives the value, null included', () => {
    expect(parse('{"a":[1,"☃",null]}')).toEqual({ a: [1, '☃', null] });
    expect(parse(' null ')).toBeNull();
  });

  it.each(['', '{', '{"a":}', 'hello', '{"a":1}}', '{"a"::1}', '\ufeff{}'])(
    'A2A-RPC-03: answers %j with ParseError',
    (text) => {
      expect(kindOf(text)).toBe('ParseError');
    },
  );

  it('passes duplicates further in, and the same text as name and value', () => {
    expect(parse('{"a":{"b":1,"b":2}}')).toEqual({ a: { b: 2 } });
    expect(parse('{"a":"a","b":"a"}')).toEqual({ a: 'a', b: 'a' });
  });

  it('answers invalid UTF-8 with ParseError', () => {
    expect(kindOf(Buffer.from([0x22, 0xff, 0x22]))).toBe('ParseError');
  });

  it.each([
    ['__proto__', '{"a":{"__proto__":{"admin":true}}}'],
    ['escaped __proto__', '{"a":{"\\u005f_proto__":{}}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{}}}'],
    ['depth 200', '['.repeat(200) + ']'.repeat(200)],
    ['NUL', '{"a":"\\u0000"}'],
    ['half a character', '{"a":"a\\ud800b"}'],
    ['a duplicate', '{"method":"a","method":"b"}'],
    ['a duplicate that is escaped', '{"id":1,"\\u0069d":2}'],
    ['a duplicate with a number for a name', '{"1":1,"1":2}'],
    ['60,000 values', `[${'1,'.repeat(60_000)}1]`],
  ])('A2A-SEC-01: refuses %s with InvalidRequest', (_name, text) => {
    expect(kindOf(text)).toBe('InvalidRequest');
  });

  it('A2A-JSON-09: reads the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(kindOf(text) === 'none');
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('never throws anything but A2AError on random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => kindOf(Buffer.from(bytes)) !== ''));
  });

  it.each(['1e400', '-1e400', '{"a":[{"b":1e309}]}', `1${'0'.repeat(400)}`])(
    'refuses the number in %s (B13)',
    (text) => {
      expect(() => parseJson(Buffer.from(text))).toThrow('too large');
      expect(parseJson(Buffer.from(JSON.stringify({ a: text, b: [1e308, -0, null, true] })))).toBeDefined();
    },
  );
});
