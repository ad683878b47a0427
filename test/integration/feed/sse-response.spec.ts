import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SseResponse } from '../../../src/http/sse/sse-response.js';
import { StreamMemory } from '../../../src/http/sse/stream-memory.js';
import { eventually } from '../../kit/run/eventually.js';

const FRAME = 'x'.repeat(8 * 1024);
/** What the service allows itself for one reader: 64 KiB and the frame that went over it. */
const MAX_BUFFERED = 64 * 1024 + 2 * FRAME.length;
/** More than every buffer of the two sockets. */
const FRAMES = 2_000;

let server: Server;
let reader: Socket;
let response: ServerResponse;
let stream: SseResponse;

/** Sends until the reader's buffers are full; tells how much was sent and whether all of it was taken. */
function sendMuch(): { sent: () => number; finished: Promise<void> } {
  let sent = 0;
  const send = async (): Promise<void> => {
    for (; sent < FRAMES && !stream.closed; sent += 1) await stream.send({ id: String(sent), data: FRAME });
  };
  return { sent: () => sent, finished: send() };
}

async function isStuck(sent: () => number): Promise<void> {
  let before = -1;
  await eventually(
    () => {
      const moved = sent() !== before || response.writableLength <= 64 * 1024;
      before = sent();
      expect(moved).toBe(false);
    },
    { intervalMs: 100 },
  );
}

describe(SseResponse.name, () => {
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const asked = new Promise<ServerResponse>((resolve) => {
      server.once('request', (_request, answer) => resolve(answer));
    });
    reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
    reader.on('error', () => undefined);
    reader.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
    reader.pause();
    response = await asked;
  });

  afterEach(() => {
    jest.useRealTimers();
    reader.destroy();
    server.close();
  });

  it('tells proxies to pass events on at once, and sends a comment every 15 s (SEED-12, SEED-28)', async () => {
    let text = '';
    reader.on('data', (chunk) => (text += String(chunk)));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    stream = new SseResponse(response, new StreamMemory());
    jest.advanceTimersByTime(14_999);
    await stream.send({ id: '1', data: '{}' });
    jest.advanceTimersByTime(1);
    jest.useRealTimers();
    stream.end();
    reader.resume();
    await eventually(() => expect(text).toContain('data: {}'));
    for (const header of ['text/event-stream', 'no-store, no-transform', 'connection: keep-alive']) {
      expect(text).toContain(header);
    }
    expect(text).toContain('x-accel-buffering: no');
    expect(text.indexOf(': ping')).toBeGreaterThan(text.indexOf('data: {}'));
  });

  it('holds little for a reader that reads nothing, and gives it everything when it reads again', async () => {
    stream = new SseResponse(response, new StreamMemory());
    const { sent, finished } = sendMuch();
    await isStuck(sent);
    expect(sent()).toBeLessThan(FRAMES);
    expect(response.writableLength).toBeLessThanOrEqual(MAX_BUFFERED);

    let bytes = 0;
    reader.on('data', (chunk) => (bytes += chunk.length));
    reader.resume();
    await finished;
    stream.end();
    await eventually(() => expect(bytes).toBeGreaterThan(FRAMES * FRAME.length));
    expect(stream.wasCut).toBe(false);
  });

  it('cuts a reader that takes nothing for 30 s', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    stream = new SseResponse(response, new StreamMemory());
    const { sent, finished } = sendMuch();
    for (let before = -1; sent() !== before || response.writableLength <= 64 * 1024;) {
      before = sent();
      await new Promise(setImmediate);
    }
    jest.advanceTimersByTime(29_999);
    expect(stream.closed).toBe(false);
    jest.advanceTimersByTime(1);
    await finished;
    expect([stream.closed, stream.wasCut]).toEqual([true, true]);
  });
});
