import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { SlottedEvents } from '../../operation/slotted-events.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { Json } from '@parley/protocol/model/json.js';
import { ConcludedStream } from '../../task/feed/concluded-stream.js';
import { StreamMemory } from './stream-memory.js';
import { StreamMetrics } from './stream.metrics.js';
import { type StreamOutcome, StreamWriter, type WrittenStream } from './stream-writer.js';

type Event = Json<unknown>;

/** A task of three events. @param filler makes them large */
const over = (filler = ''): ConcludedStream =>
  new ConcludedStream(
    { id: '1-a', event: Json.ofText('{"task":{}}') },
    ['two', 'three'].map((word, at) => ({ seq: at + 2, nonce: 'b', event: Json.ofText(`"${word}${filler}"`) })),
  );

/** Two texts for the second event, as an older dialect may have. */
const encode = ({ text }: Event): readonly string[] => (text.includes('two') ? ['"2a"', text] : [text]);

/** What a client gets of a stream, its length where that is stated, and what the writer says of it. */
async function answered(
  stream: WrittenStream<Event>,
): Promise<{ text: string; length: string | null; outcome: Promise<StreamOutcome> }> {
  const writer = new StreamWriter(new StreamMetrics(new Metrics()), new StreamMemory());
  let outcome: Promise<StreamOutcome> | undefined;
  const server = createServer((_request, response) => {
    // In a turn of its own, as calls do: all of a stream may be written before the tick after it.
    outcome = Promise.resolve().then(() => writer.write(response, stream));
    outcome.catch(() => response.end('data: fault\n\n'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const response = await fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
    const { headers } = response;
    const head = ['content-type', 'cache-control', 'x-accel-buffering', 'connection', 'x-own'];
    const text = `${head.map((name) => headers.get(name)).join(';')}\n${await response.text()}`;
    const length = headers.get('content-length');
    return { text, length, outcome: outcome ?? Promise.reject(new Error('nothing was written')) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const headers = ['x-own', 'yes'];

const bodyOf = (text: string): string => text.slice(text.indexOf('\n') + 1);

describe(StreamWriter.name, () => {
  it('writes a stream that is over as it writes any other, and frees its slot', async () => {
    let freed = 0;
    const whole = await answered({ events: new SlottedEvents(over(), () => (freed += 1)), encode, headers });
    const stream = over();
    const inTurn = await answered({ events: { next: () => stream.next() }, encode, headers });
    expect(whole.text).toBe(inTurn.text);
    expect(whole.text).toContain('data: "2a"\n\nid: 2-b\ndata: "two"\n\nid: 3-b\n');
    expect([whole.length, inTurn.length]).toEqual([String(Buffer.byteLength(bodyOf(whole.text))), null]);
    expect(await whole.outcome).toEqual({ how: 'ended', events: 3 });
    expect(await inTurn.outcome).toEqual({ how: 'ended', events: 3 });
    expect(freed).toBe(1);
  });

  it('states the length of a stream that is over in bytes, not in characters', async () => {
    const { text, length } = await answered({ events: over('ü€😀'), encode });
    expect(Number(length)).toBe(Buffer.byteLength(bodyOf(text)));
    expect(Number(length)).toBeGreaterThan(bodyOf(text).length);
  });

  it('writes what came before an event that has no form in the dialect', async () => {
    const refuse = (event: Event): readonly string[] => {
      if (event.text.includes('three')) throw new RangeError('no form');
      return encode(event);
    };
    const stream = over();
    const whole = await answered({ events: over(), encode: refuse });
    const inTurn = await answered({ events: { next: () => stream.next() }, encode: refuse });
    expect(whole.text).toBe(inTurn.text);
    expect(whole.text).toContain('data: "two"\n\ndata: fault\n\n');
    await expect(whole.outcome).rejects.toThrow('no form');
  });
});

describe(ConcludedStream.name, () => {
  it('is taken whole where it is small and unread, and once', async () => {
    expect(over('x'.repeat(32 * 1024)).atHand()).toBeUndefined();
    const stream = over();
    expect(stream.atHand()?.map(({ id }) => id)).toEqual(['1-a', '2-b', '3-b']);
    expect(stream.atHand()).toBeUndefined();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    const begun = over();
    await begun.next();
    expect(begun.atHand()).toBeUndefined();
  });
});
