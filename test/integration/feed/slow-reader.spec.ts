import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SseResponse } from '../../../src/http/sse/sse-response.js';
import { StreamMemory } from '../../../src/http/sse/stream-memory.js';

const MIB = 1024 * 1024;
/** Far more than the buffers of both sockets hold. */
const EVENT = 'ä'.repeat(24 * MIB);
const BYTES = Buffer.byteLength(EVENT);

let server: Server;
let reader: Socket;
let response: ServerResponse;
let taken: number;

/** Reads about 4 MiB, or what there is to the end, and then nothing. */
async function readSome(): Promise<void> {
  const wanted = Math.min(taken + 4 * MIB, BYTES);
  while (taken < wanted) {
    const chunk: Buffer | null = reader.read();
    taken += chunk?.length ?? 0;
    await new Promise(setImmediate);
  }
}

describe('a reader of a large event', () => {
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asked = new Promise<ServerResponse>((resolve) => {
      server.once('request', (_request, answer) => resolve(answer));
    });
    reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
    reader.on('error', () => undefined);
    reader.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
    response = await asked;
    taken = 0;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
  });

  afterEach(() => {
    jest.useRealTimers();
    reader.destroy();
    server.close();
  });

  it('is not cut while it reads, however long that takes', async () => {
    const memory = new StreamMemory();
    const stream = new SseResponse(response, memory);
    let isSent = false;
    const sending = stream.send({ id: '7-a', data: EVENT }).then(() => {
      isSent = true;
    });
    let seconds = 0;
    for (; taken < BYTES && !stream.closed; seconds += 25) {
      await readSome();
      jest.advanceTimersByTime(25_000);
    }
    await sending;
    expect([isSent, stream.wasCut, seconds > 60]).toEqual([true, false, true]);
    expect(memory.bytes).toBe(0);
  });

  it('is cut when it takes nothing for 30 s', async () => {
    const stream = new SseResponse(response, new StreamMemory());
    const sending = stream.send({ data: EVENT });
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    jest.advanceTimersByTime(30_000);
    await sending;
    expect(stream.wasCut).toBe(true);
  });

  it('is cut before others that are faster when the process holds too much', async () => {
    const memory = new StreamMemory(EVENT.length + 100_000);
    const stream = new SseResponse(response, memory);
    const sending = stream.send({ data: EVENT });
    memory.hold(200_000, () => undefined);
    await sending;
    expect(stream.wasCut).toBe(true);
  });

  it('gets no heartbeat in the midst of it', async () => {
    const stream = new SseResponse(response, new StreamMemory());
    const chunks: string[] = [];
    const sending = stream.send({ data: EVENT });
    jest.advanceTimersByTime(15_000);
    reader.on('data', (chunk) => chunks.push(chunk.toString('latin1')));
    await sending;
    stream.end();
    while (!chunks.join('').endsWith('0\r\n\r\n')) await new Promise(setImmediate);
    const text = chunks.join('').replace(/\r\n[0-9a-f]+\r\n/g, '');
    expect(text).not.toContain(': ping');
  });
});
