import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { GrpcCalls } from '../../../src/http/grpc/grpc-calls.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const PATH = '/lf.a2a.v1.A2AService/GetTask';
const [HEADERS, RST_STREAM, SETTINGS, GOAWAY] = [1, 3, 4, 7];
const END_HEADERS = 4;
const CANCEL = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);

/** RFC 9113 § 4.1 */
function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Fields as literals, without an index and without Huffman (RFC 7541 § 6.2.2). */
function fields(all: Readonly<Record<string, string>>): Buffer {
  const text = (value: string): Buffer => Buffer.from([value.length, ...Buffer.from(value)]);
  return Buffer.concat(Object.entries(all).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

const CALL = fields({
  ...{ ':method': 'POST', ':scheme': 'http', ':path': PATH, ':authority': 'localhost' },
  ...{ 'content-type': 'application/grpc', te: 'trailers', 'a2a-version': '1.0' },
});
const ALL = { tenant: '', contextId: '', status: 0, pageToken: '' };
/** The n-th stream of a connection, opened, and reset. */
const opened = (n: number): Buffer => frame(HEADERS, END_HEADERS, 2 * n + 1, CALL);
const reset = (n: number): Buffer => frame(RST_STREAM, 0, 2 * n + 1, CANCEL);

/** The error code of the frame that closes the connection. */
async function goaway(socket: Socket): Promise<number> {
  let read = Buffer.alloc(0);
  for await (const data of socket) {
    read = Buffer.concat([read, data as Buffer]);
    while (read.length >= 9 && read.length >= 9 + read.readUIntBE(0, 3)) {
      if (read.readUInt8(3) === GOAWAY) return read.readUInt32BE(13);
      read = read.subarray(9 + read.readUIntBE(0, 3));
    }
  }
  throw new Error('The connection ended without GOAWAY');
}

describe('streams that their client resets at once', () => {
  let service: RunningApp;
  let others: GrpcClient;

  beforeAll(async () => {
    service = await runApp({ GRPC_PORT: '0' });
    others = new GrpcClient(service.grpc ?? '', A2AService, { 'a2a-version': '1.0' });
  });
  afterAll(async () => {
    others.close();
    await service.close();
  });

  function connection(): Socket {
    const socket = connect(Number((service.grpc ?? '').split(':')[1]), '127.0.0.1').on('error', () => undefined);
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    socket.write(frame(SETTINGS, 0, 0));
    return socket;
  }

  it('begin no call, and close the connection with ENHANCE_YOUR_CALM when they are too many (A14, CVE-2023-44487)', async () => {
    const calls = jest.spyOn(service.app.get(GrpcCalls, { strict: false }), 'caller');
    const sockets = [connection(), connection(), connection()];
    const burst = Buffer.concat(Array.from({ length: 900 }, (_, n) => [opened(n), reset(n)]).flat());
    for (const socket of sockets) socket.write(burst);
    const [codes] = await Promise.all([Promise.all(sockets.map(goaway)), others.call('listTasks', ALL)]);
    expect(codes).toEqual(sockets.map(() => constants.NGHTTP2_ENHANCE_YOUR_CALM));
    // Only a stream whose reset comes with a later packet has begun its call.
    expect(calls.mock.calls.length).toBeLessThan(100);
    calls.mockRestore();
  });

  it('close the connection too when their calls have begun (A14)', async () => {
    const calls = jest.spyOn(service.app.get(GrpcCalls, { strict: false }), 'caller');
    const socket = connection();
    const code = goaway(socket);
    for (let n = 0; n < 900 && socket.writable; n += 1) {
      const written = (bytes: Buffer): Promise<void> =>
        new Promise((resolve) => socket.write(bytes, () => setImmediate(resolve)));
      await written(opened(n));
      await written(reset(n));
    }
    await expect(code).resolves.toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    expect(calls.mock.calls.length).toBeLessThan(900);
    calls.mockRestore();
    await others.call('listTasks', ALL);
  });

  it('leave the connection of a client that cancels 200 calls open (A14)', async () => {
    const session = connectHttp2(`http://${service.grpc ?? ''}`);
    const call = { ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc', te: 'trailers' };
    for (let n = 0; n < 200; n += 1) {
      const stream = session.request(call).on('error', () => undefined);
      if (stream.pending) await once(stream, 'ready');
      // Sent by then: headers that are not yet sent would be dropped with the reset.
      await new Promise(setImmediate);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    const [headers] = (await once(session.request(call).end(Buffer.alloc(5)), 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(200);
    session.destroy();
  });
});
