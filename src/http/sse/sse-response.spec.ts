import { describe, expect, it } from '@jest/globals';
import { frameText } from './sse-response.js';

describe(frameText.name, () => {
  it('writes no line end of any kind into the data, and the same JSON (B10)', () => {
    const said = { text: 'a\u2028b\u2029c\u0085d ☃\r\n' };
    const text = frameText({ id: '1-x', data: JSON.stringify(said) });
    const [, data = ''] = /^id: 1-x\ndata: (.*)\n\n$/u.exec(text) ?? [];
    expect(data).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(data).toContain('☃');
    expect(JSON.parse(data)).toEqual(said);
  });
});
