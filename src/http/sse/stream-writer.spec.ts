import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { SlottedEvents } from '../../operations/executor/slotted-events.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { Json } from '@parley/protocol/model/json.js';
import { StreamMemory } from './stream-memory.js';
import { StreamMetrics } from './stream.metrics.js';
import type { StreamOutcome } from './open-stream.js';
import { StreamWriter, type WrittenStream } from './stream-writer.js';

type Event = Json<unknown>;

/** The events of a task that has ended. */
async function* over(): AsyncGenerator<{ readonly id: string; readonly event: Event }, void, void> {
  const texts = ['{"task":{}}', '"two"', '"three"'];
  for (const [at, text] of texts.entries())
    yield await Promise.resolve({ id: `${String(at + 1)}-a`, event: Json.ofText(text) });
}

/** Two texts for the second event, as an older dialect may have. */
const encode = ({ text }: Event): readonly string[] => (text.includes('two') ? ['"2a"', text] : [text]);

/** The output of a stream for its client, and the result of the writer. */
async function answered(stream: WrittenStream<Event>): Promise<{ text: string; outcome: Promise<StreamOutcome> }> {
  const writer = new StreamWriter(new StreamMetrics(new Metrics()), new StreamMemory());
  let outcome: Promise<StreamOutcome> | undefined;
  const server = createServer((_request, response) => {
    // In a turn of its own, as calls do: the whole stream may be written before the tick after it.
    outcome = Promise.resolve().then(() => writer.write(response, stream));
    outcome.catch(() => response.end('data: fault\n\n'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const response = await fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
    const { headers } = response;
    const head = ['content-type', 'cache-control', 'x-accel-buffering', 'connection', 'x-own'];
    const text = `${head.map((name) => headers.get(name)).join(';')}\n${await response.text()}`;
    return { text, outcome: outcome ?? Promise.reject(new Error('nothing was written')) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const headers = ['x-own', 'yes'];

describe(StreamWriter.name, () => {
  it('writes each event with its id after its last text, and frees the slot at the end', async () => {
    let freed = 0;
    const { text, outcome } = await answered({
      events: new SlottedEvents(over(), () => (freed += 1)),
      encode,
      headers,
    });
    expect(text).toContain('data: "2a"\n\nid: 2-a\ndata: "two"\n\nid: 3-a\n');
    expect(text).toMatch(/^text\/event-stream; charset=utf-8;no-store, no-transform;no;keep-alive;yes\n/);
    expect(await outcome).toEqual({ how: 'ended', events: 3 });
    expect(freed).toBeGreaterThan(0);
  });

  it('writes the events before one without a form in the dialect', async () => {
    const refuse = (event: Event): readonly string[] => {
      if (event.text.includes('three')) throw new RangeError('no form');
      return encode(event);
    };
    const { text, outcome } = await answered({ events: over(), encode: refuse });
    expect(text).toContain('data: "two"\n\ndata: fault\n\n');
    await expect(outcome).rejects.toThrow('no form');
  });
});
