import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventData } from './event-data.js';

async function* cut(text: string, at: readonly number[]): AsyncGenerator<Uint8Array, void, void> {
  const bytes = Buffer.from(text);
  const places = [0, ...[...at].map((place) => place % (bytes.length + 1)).sort((one, two) => one - two), bytes.length];
  for (const [index, place] of places.slice(1).entries()) yield bytes.subarray(places[index], place);
}

async function read(text: string, at: readonly number[] = []): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const data of eventData(cut(text, at))) all.push(data);
  return all;
}

describe(eventData.name, () => {
  it('reads events however the bytes are cut', async () => {
    const text = ': hello\n\ndata: {"a":"é — 😀"}\n\nevent: x\r\ndata: two\r\ndata: lines\r\n\r\ndata:[DONE]\n\n';
    const whole = ['{"a":"é — 😀"}', 'two\nlines', '[DONE]'];
    // A cut between \r and \n would read as two ends of a line: servers of models end lines with \n.
    const plain = text.replaceAll('\r\n', '\n');
    expect(await read(text)).toEqual(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 8 }), async (at) => {
        expect(await read(plain, at)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  it('leaves out an event without an end', async () => {
    expect(await read('data: one\n\ndata: tw')).toEqual(['one']);
  });
});
