import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AnswerReader, HttpConnection } from './http-connection.mjs';

const LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const CHUNKS = 'HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n3\r\n0\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n';

describe('the load generator reads answers', () => {
  const answers = [
    { of: 'a stated length', text: LENGTH, answer: { status: 200, body: 'hello' } },
    {
      of: 'chunks, one of which ends like the last one',
      text: CHUNKS,
      answer: { status: 503, body: CHUNKS.slice(49) },
    },
  ];

  for (const { of, text, answer } of answers) {
    it(`of ${of}, cut anywhere`, () => {
      for (let cut = 1; cut < text.length; cut += 1) {
        const reader = new AnswerReader();
        expect(reader.take(text.slice(0, cut))).toBeUndefined();
        expect(reader.take(text.slice(cut))).toEqual(answer);
        // The next answer of the connection.
        expect(reader.take(LENGTH)).toEqual({ status: 200, body: 'hello' });
      }
    });

    it(`of ${of}, byte by byte`, () => {
      const reader = new AnswerReader();
      const taken = [...text].map((byte) => reader.take(byte));
      expect(taken.filter((one) => one !== undefined)).toEqual([answer]);
      expect(taken.at(-1)).toEqual(answer);
    });
  }
});

describe('a connection of the load generator', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function connected(answer: RequestListener): Promise<HttpConnection> {
    const listening = createServer(answer);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((listening.address() as AddressInfo).port)}/path?a=b`;
    return HttpConnection.open({ url, method: 'POST', headers: { 'content-type': 'application/json' } });
  }

  it("sends requests that Node reads, one after the other, and reads Node's answers", async () => {
    const connection = await connected((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        response.write(`${String(request.method)} ${String(request.url)} ${String(request.headers['content-type'])} `);
        response.end(Buffer.concat(pieces));
      });
    });
    for (const text of ['a', 'ü', 'x'.repeat(300_000)]) {
      const { status, body } = await connection.send(text);
      expect(status).toBe(200);
      expect(body).toContain('POST /path?a=b application/json');
      expect(Buffer.from(body, 'latin1').toString()).toContain(text.slice(0, 1_000));
    }
    connection.close();
  });

  it('fails a request whose connection is closed before its answer', async () => {
    const connection = await connected((request) =>
      request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhel'),
    );
    await expect(connection.send('a')).rejects.toThrow('closed before its answer');
  });
});
