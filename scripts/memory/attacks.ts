import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** An attacker's end: closes all that it holds. */
export type End = () => void;

export interface Target {
  readonly url: string;
  readonly key: string;
}

const BODY_BYTES = 10_484_760;
const PIECE = Buffer.alloc(65_536, 'A');

function socketTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** Requests with bodies of 10 MB that never end: of a stated length, or in chunks. */
export function unfinishedBodies({ url, key }: Target, paths: readonly string[], count: number): End {
  const sockets = Array.from({ length: count }, (_unused, at) => {
    const socket = socketTo(url);
    const isChunked = at % 2 === 1;
    const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${String(BODY_BYTES + 1000)}`;
    const head = [`POST ${paths[at % paths.length] ?? '/'} HTTP/1.1`, 'Host: localhost', `X-Api-Key: ${key}`];
    socket.write([...head, 'Content-Type: application/json', 'A2A-Version: 1.0', length, '', ''].join('\r\n'));
    void pour(socket, isChunked);
    return socket;
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** A body's maximum size, as fast as the service takes it. */
async function pour(socket: Socket, isChunked: boolean): Promise<void> {
  for (let sent = 0; sent < BODY_BYTES - PIECE.length && !socket.destroyed; sent += PIECE.length) {
    if (isChunked) socket.write(`${PIECE.length.toString(16)}\r\n`);
    const goesOn = socket.write(PIECE);
    if (isChunked) socket.write('\r\n');
    if (!goesOn) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  }
}

/** Messages of gRPC of 10 MB, each without its last half MB. */
export function unfinishedMessages(address: string, key: string, count: number): End {
  const sessions: ClientHttp2Session[] = [];
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(10_000_000, 1);
  for (let at = 0; at < count; at += 1) {
    if (at % 30 === 0) sessions.push(connectHttp2(`http://${address}`).on('error', () => undefined));
    const stream = sessions.at(-1)?.request({
      ...{ ':method': 'POST', ':path': '/lf.a2a.v1.A2AService/SendMessage', 'content-type': 'application/grpc' },
      ...{ te: 'trailers', 'x-api-key': key, 'a2a-version': '1.0' },
    });
    stream?.on('error', () => undefined);
    stream?.write(frame);
    stream?.write(Buffer.alloc(9_500_000, 'A'));
  }
  return () => {
    for (const session of sessions) session.destroy();
  };
}

/** Calls over sockets that read nothing of the answers. */
export function unreadAnswers({ url, key }: Target, requests: readonly Call[], count: number): End {
  const sockets = Array.from({ length: count }, (_unused, at) => {
    const socket = socketTo(url);
    socket.pause();
    socket.write(requestText(requests[at % requests.length] ?? GET_NOTHING, key));
    return socket;
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Reads an answer again and again on a number of connections. Resolves with their statuses by number once ended. */
export function readInLoop({ url, key }: Target, call: Call, connections: number): () => Promise<Map<number, number>> {
  const end = new AbortController();
  const statuses = new Map<number, number>();
  const loops = Array.from({ length: connections }, async () => {
    while (!end.signal.aborted) {
      const { method, path, body } = call;
      const answer = await fetch(url + path, {
        ...{ method, headers: headersOf(key), signal: end.signal },
        ...(body === '' ? {} : { body }),
      });
      await answer.body?.pipeTo(new WritableStream());
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 429) await pause(50);
    }
  });
  return async () => {
    end.abort();
    await Promise.allSettled(loops);
    return statuses;
  };
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** '' for none. */
  readonly body: string;
}

const GET_NOTHING: Call = { method: 'GET', path: '/', body: '' };

export function headersOf(key: string): Record<string, string> {
  return { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': key };
}

function requestText({ method, path, body }: Call, key: string): string {
  const headers = Object.entries({ host: 'localhost', ...headersOf(key), 'content-length': String(body.length) });
  return `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`;
}
