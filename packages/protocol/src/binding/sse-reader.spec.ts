import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collect } from '../../../../test/kit/callers/collect.js';
import { readSse, type SseEvent } from './sse-reader.js';

const BOUNDS = { mostLineBytes: 64, fault: (text: string) => new RangeError(text) };

async function* pieces(...texts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const read = (...texts: readonly (string | Buffer)[]): Promise<readonly SseEvent[]> =>
  collect(readSse(pieces(...texts), BOUNDS));

describe(readSse.name, () => {
  it('O-84: reads events, ids and comments, whatever ends their lines', async () => {
    expect(await read(': hello\r\nid: 1\r\ndata: a\r\n\r\ndata:b\rdata: c\r\rid\ndata: d\n\n')).toEqual([
      { id: '1', data: 'a' },
      { id: '1', data: 'b\nc' },
      { id: undefined, data: 'd' },
    ]);
  });

  it('O-84: leaves out an event that the connection has cut, and a byte order mark', async () => {
    expect(await read('\ufeffid: 1\ndata: a\n\nid: 2\ndata: b\n')).toEqual([{ id: '1', data: 'a' }]);
  });

  it('O-84: reads the same, wherever the bytes are cut', async () => {
    const text = Buffer.from('id: ä1\r\ndata: größer\r\n\r\nid: 2\rdata: 😀\r\rdata: x\n\n');
    const whole = await collect(readSse(pieces(text), BOUNDS));
    expect(whole).toHaveLength(3);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 12 }), async (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), text.length];
        const parts = ends.map((end, at) => text.subarray(ends[at - 1] ?? 0, end));
        expect(await read(...parts)).toEqual(whole);
      }),
    );
  });

  it('refuses a line and an event over their bound, before they are whole', async () => {
    await expect(read('data: ', 'x'.repeat(40), 'x'.repeat(40))).rejects.toThrow(RangeError);
    await expect(read(`data: ${'x'.repeat(40)}\ndata: ${'x'.repeat(40)}\n\n`)).rejects.toMatchObject({
      message: 'An event of the stream has more than 64 bytes',
    });
  });
});
