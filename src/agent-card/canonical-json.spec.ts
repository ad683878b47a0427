import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

describe(canonicalJson.name, () => {
  it('sorts members by UTF-16 code units and writes numbers as ECMAScript does (RFC 8785 §3.2)', () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '€$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const keys = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, ö: 7 };
    expect(Object.values(JSON.parse(canonicalJson(keys)) as object)).toHaveLength(7);
    expect(canonicalJson({ b: { z: 1, a: undefined }, a: [] })).toBe('{"a":[],"b":{"z":1}}');
    const order = [...canonicalJson(keys).matchAll(/:(\d)/g)].map(([, place]) => Number(place));
    expect(order).toEqual([2, 4, 6, 7, 1, 5, 3]);
  });
});
