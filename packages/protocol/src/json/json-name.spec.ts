import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../model/json.js';
import { jsonWith, nameOf } from './json-name.js';

function named(json: string, ...path: string[]): string | undefined {
  const value = path.reduce<unknown>((at, name) => (at as JsonObject | undefined)?.[name], JSON.parse(json));
  return nameOf(value, Buffer.from(json), path);
}

describe(nameOf.name, () => {
  it.each([
    ...['0', '-0', '7', '-7', '1.0', '1.5', '1e3', '1E+3', '9007199254740993', '1795600000000000000'],
    ...['-0.000000000000000000001', '12345678901234567890123456789012345678901234567890.5', '9'.repeat(256)],
  ])('gives the digits of %s as they came (B12)', (digits) => {
    expect(named(`{"id":${digits}}`, 'id')).toBe(digits);
    expect(named(`{ "x" : [ { "id" : 1 } ] , "id" :\n\t${digits} }`, 'id')).toBe(digits);
    expect(named(`{"params":{"id":2,"_meta":{"token":${digits}},"token":3},"id":1}`, 'params', '_meta', 'token')).toBe(
      digits,
    );
  });

  it('gives texts as JSON', () => {
    expect(named('{"id":"a\\"b\\u2028"}', 'id')).toBe(JSON.stringify('a"b\u2028'));
    expect(named('{"id":""}', 'id')).toBe('""');
  });

  it.each(['null', 'true', '{}', '[]', '[1]', `"${'x'.repeat(257)}"`, '9'.repeat(257)])('refuses %s', (json) => {
    expect(named(`{"id":${json}}`, 'id')).toBeUndefined();
  });

  it('reads escaped names, and the last of several', () => {
    expect(named('{"\\u0069d":1.50}', 'id')).toBe('1.50');
    expect(named('{"a":{"b":1.0},"a":{"b":2.0,"b":3.0}}', 'a', 'b')).toBe('3.0');
    expect(named('{"a":{"b":1.0},"a":{"c":[{"b":4.0}],"b":2.0}}', 'a', 'b')).toBe('2.0');
  });

  it('finds the number of a path in any JSON', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('id', 'params', '"id":1', '{', '}', '\\', '"'));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(text, fc.integer(), fc.constant(null), fc.array(tie('tree')), fc.dictionary(text, tie('tree'))),
    }));
    fc.assert(
      fc.property(fc.dictionary(text, tree), fc.integer(), fc.integer(), (others, id, token) => {
        const { id: _id, params: _params, ...rest } = others;
        const json = JSON.stringify({ ...rest, params: { ...rest, id: token, last: rest }, id });
        expect(named(json, 'id')).toBe(String(id));
        expect(named(json, 'params', 'id')).toBe(String(token));
      }),
    );
  });
});

describe(jsonWith.name, () => {
  it('writes the text of the last member as it is', () => {
    expect(jsonWith({}, 'id', '1.0')).toBe('{"id":1.0}');
    expect(jsonWith({ a: 1 }, 'id', '9007199254740993')).toBe('{"a":1,"id":9007199254740993}');
  });
});
