import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { changeOf } from '../../../src/registry/entry/agent-change.js';
import { FeedReader } from '../../../src/registry/feed/feed-reader.js';
import { KeptChanges } from '../../../src/registry/feed/kept-changes.js';
import { FEED_BOUNDS } from '../../../src/registry/store/registry.store.js';
import { CallLifetime } from '../../../src/auth/call-lifetime.js';
import { StreamMemory } from '../../../src/http/sse/stream-memory.js';
import { StreamMetrics } from '../../../src/http/sse/stream.metrics.js';
import { StreamWriter } from '../../../src/http/sse/stream-writer.js';
import { eventually } from '../../kit/run/eventually.js';
import { anEntry } from '../../kit/registry/registry-entries.js';
import { settled } from '../../kit/registry/registry-events.js';

const KIB = 1024;

let server: Server;
let socket: Socket;
let response: ServerResponse;
let kept: KeptChanges;
let reader: FeedReader;

/** As the controller does it. */
function write(): ReturnType<StreamWriter['write']> {
  new CallLifetime(undefined, response).whenGone(() => void reader.return());
  const writer = new StreamWriter(new StreamMetrics(new Metrics()), new StreamMemory());
  return writer.write(response, { events: reader, encode: (news) => [JSON.stringify(news)] });
}

/** Changes of an agent with the longest name that there is. */
async function change(count: number): Promise<void> {
  const entry = anEntry({ state: 'approved' });
  const identifier = `urn:air:a.example:agent:${'a'.repeat(232)}`;
  for (let at = 0; at < count; at += 1) {
    const made = changeOf(identifier, entry, entry);
    if (made !== undefined) kept.append([{ seq: (kept.last?.seq ?? 0) + 1, change: made, bytes: 400 }]);
  }
  reader.wake();
  await settled();
}

/** Until both sockets are full and the writer waits. */
async function fill(): Promise<void> {
  while (response.writableLength <= 64 * KIB) await change(FEED_BOUNDS.changes / 2);
}

describe('a reader of the registry that takes nothing', () => {
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asked = new Promise<ServerResponse>((resolve) => {
      server.once('request', (_request, answer) => resolve(answer));
    });
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
    response = await asked;
    kept = new KeptChanges();
    reader = new FeedReader(kept, 'friend');
  });

  afterEach(() => {
    jest.useRealTimers();
    socket.destroy();
    server.close();
  });

  it('holds a bounded number of bytes, and begins anew when it reads on', async () => {
    const outcome = write();
    await fill();
    await change(2 * FEED_BOUNDS.changes);
    expect(response.writableLength).toBeLessThan(65 * KIB);
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    await eventually(() => {
      expect(text.match(/^event: reset$/gm)).toHaveLength(2);
    });
    await change(1);
    await reader.return();
    expect(await outcome).toMatchObject({ how: 'ended' });
    await eventually(() => {
      expect(text.endsWith('0\r\n\r\n')).toBe(true);
    });
    expect(text.match(/^event: \w+$/gm)?.slice(-2)).toEqual(['event: reset', 'event: changed']);
  });

  it('is cut after 30 s, and has left the feed', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    let left = 0;
    reader.onClose(() => (left += 1));
    const outcome = write();
    await fill();
    jest.advanceTimersByTime(30_000);
    expect(await outcome).toMatchObject({ how: 'stalled' });
    expect(left).toBe(1);
  });
});
