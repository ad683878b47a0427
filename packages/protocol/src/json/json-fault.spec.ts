import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeJsonFault } from './json-fault.js';

describe(describeJsonFault.name, () => {
  it.each([
    ['', 'unexpected end at line 1, column 1: a value is expected'],
    ['hello', 'unexpected "h" at line 1, column 1: a value is expected'],
    ['{"a":}', 'unexpected "}" at line 1, column 6: a value is expected'],
    ['{"jsonrpc":', 'unexpected end at line 1, column 12: a value is expected'],
    ['{"a":1\n "b":2}', 'unexpected "\\"" at line 2, column 2: "," or the closing bracket is expected'],
    ["{'a':1}", 'unexpected "\'" at line 1, column 2: a member name or "}" is expected'],
    ['{"a":1,}', 'unexpected "}" at line 1, column 8: a member name is expected'],
    ['[1,]', 'unexpected "]" at line 1, column 4: a value is expected'],
    ['[1}', 'unexpected "}" at line 1, column 3: "," or the closing bracket is expected'],
    ['{"a" 1}', 'unexpected "1" at line 1, column 6: ":" is expected'],
    ['{}}', 'unexpected "}" at line 1, column 3: the end of the text is expected'],
    ['["a\nb"]', 'unexpected "\\n" at line 1, column 4: the rest of a string is expected'],
    ['["a\\x"]', 'unexpected "\\\\" at line 1, column 4: the rest of a string is expected'],
    ['"abc', 'unexpected end at line 1, column 5: the rest of a string is expected'],
    ['[01]', 'unexpected "1" at line 1, column 3: "," or the closing bracket is expected'],
  ])('finds where %j stops being JSON', (text, expected) => {
    expect(describeJsonFault(text)).toBe(expected);
  });

  it('reads to the end whatever JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(describeJsonFault(text)).toMatch(/^unexpected end .* the end of the text is expected$/);
      }),
    );
  });

  it('reads megabytes without running out of stack', () => {
    const text = `["${'é\\n'.repeat(500_000)}"`;
    expect(describeJsonFault(text)).toMatch(/^unexpected end at line 1, column 1500004: /);
  });
});
