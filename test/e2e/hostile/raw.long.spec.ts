import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import { aCaller, type Caller, tenantVariables } from '../../kit/auth/tenants.js';
import { eventually } from '../../kit/run/eventually.js';
import { RawSocket } from '../../kit/callers/raw-socket.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** Short, so that the test need not wait for what a deployment waits for. */
const TIMES = { headersMs: 2_000, requestMs: 4_000, silenceMs: 4_500, idleMs: 300, checkMs: 100, pingMs: 500 };
/** What a loaded machine may add to any of them. */
const PATIENCE_MS = 5_000;
const MIB = 1024 * 1024;

jest.setTimeout(120_000);

let issuer: TestIssuer;
let app: RunningApp;
let caller: Caller;
let port: number;
let neighbour: Neighbour;

beforeAll(async () => {
  issuer = await TestIssuer.start();
  const variables = { ...tenantVariables(issuer), JWT_AUDIENCE: AUDIENCE, BLOCKING_MS: '500', GRPC_PORT: '0' };
  app = await runApp(variables, { times: TIMES });
  caller = aCaller(issuer, 'acme', 'a');
  port = Number(new URL(app.url).port);
  neighbour = new Neighbour();
});

afterAll(async () => {
  await neighbour.leave();
  await Promise.all([app.close(), issuer.stop()]);
});

/** A caller who behaves, all the while. */
class Neighbour {
  private isHere = true;
  private readonly waits: number[] = [];
  private readonly statuses = new Set<number | string>();
  private readonly calls = this.callOn();

  async leave(): Promise<void> {
    this.isHere = false;
    await this.calls;
  }

  get facts(): { readonly statuses: readonly (number | string)[]; readonly slowestMs: number; readonly calls: number } {
    return { statuses: [...this.statuses], slowestMs: Math.max(...this.waits), calls: this.waits.length };
  }

  private async callOn(): Promise<void> {
    while (this.isHere) {
      const began = performance.now();
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} });
      const headers = { ...caller.headers, 'content-type': 'application/json', 'a2a-version': '1.0' };
      const status = await fetch(app.url, { method: 'POST', headers, body }).then(
        async (response) => response.text().then(() => response.status),
        (error: unknown) => String(error),
      );
      this.statuses.add(status);
      this.waits.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}';

interface Wrong {
  readonly start?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** Without the usual Content-Length. */
  readonly isUnmeasured?: boolean;
  /** In place of the caller's. */
  readonly token?: string;
}

/** A request that would be good, but for what is given. */
function request(wrong: Wrong = {}): Buffer {
  const { start = 'POST / HTTP/1.1', headers = [], body = CALL, isUnmeasured = false, token } = wrong;
  const lines = [
    start,
    ...(headers.some((line) => /^host:/i.test(line)) ? [] : ['Host: agent.example']),
    token === undefined ? `Authorization: ${caller.headers.authorization}` : `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'A2A-Version: 1.0',
    ...(isUnmeasured ? [] : [`Content-Length: ${String(Buffer.byteLength(body))}`]),
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

async function answersTo(sent: Buffer): Promise<readonly string[]> {
  const raw = await RawSocket.open(port);
  raw.write(sent);
  await raw.closed(TIMES.requestMs + TIMES.idleMs + PATIENCE_MS);
  return raw.text
    .split(/^(?=HTTP)/m)
    .filter((text) => text !== '')
    .map((text) => [text.slice(9, 12), ...(/"code":(-\d+)/.exec(text)?.slice(1) ?? [])].join(' '));
}

function chunked(...chunks: readonly (string | Buffer)[]): Buffer {
  const pieces = chunks.flatMap((chunk) => [`${Buffer.byteLength(chunk).toString(16)}\r\n`, chunk, '\r\n']);
  return Buffer.concat([...pieces, '0\r\n\r\n'].map((piece) => Buffer.from(piece)));
}

const CHUNKED = { isUnmeasured: true, headers: ['Transfer-Encoding: chunked'] } as const;
const DEEP = `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`;

/** What is sent, and how it is answered until the connection ends: by statuses, and the codes of JSON-RPC. */
const WRONG: readonly (readonly [string, readonly string[], () => Buffer])[] = [
  ['nothing wrong', ['200'], () => request()],
  ['garbage', ['400'], () => randomBytes(512)],
  ['the start of HTTP/2', ['400'], () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ['the start of TLS', ['400'], () => Buffer.from('16030100a5010000a10303', 'hex')],
  ['HTTP/1.0', ['200'], () => request({ start: 'POST / HTTP/1.0' })],
  ['HTTP/3.7', ['400'], () => request({ start: 'POST / HTTP/3.7' })],
  ['no Host', ['400'], () => Buffer.from('GET /health/live HTTP/1.1\r\n\r\n')],
  ['CONNECT', [], () => request({ start: 'CONNECT internal.example:443 HTTP/1.1' })],
  ['TRACE', ['405'], () => request({ start: 'TRACE / HTTP/1.1', body: '' })],
  ['an unknown method', ['400'], () => request({ start: 'STEAL / HTTP/1.1' })],
  [
    'a target that names another host (RFC 9112 §3.2.2)',
    ['200'],
    () => request({ start: 'POST http://internal.example/ HTTP/1.1' }),
  ],
  ['a target that is no path', ['404'], () => request({ start: 'POST * HTTP/1.1' })],
  ['a target of 20 KiB', ['431'], () => request({ start: `POST /${'a'.repeat(20_000)} HTTP/1.1` })],
  ['a target that does not decode', ['400'], () => request({ start: 'POST /%ff%zz HTTP/1.1' })],
  ['too short a Content-Length', ['400'], () => request({ isUnmeasured: true, headers: ['Content-Length: 20'] })],
  ['too long a Content-Length', ['408'], () => request({ isUnmeasured: true, headers: ['Content-Length: 900'] })],
  ['a negative Content-Length', ['400'], () => request({ isUnmeasured: true, headers: ['Content-Length: -1'] })],
  ['two lengths', ['400'], () => request({ headers: ['Content-Length: 3'] })],
  ['length and chunks (RFC 9112 §6.1)', ['400'], () => request({ headers: ['Transfer-Encoding: chunked'] })],
  [
    'a transfer coding that nobody knows',
    ['400'],
    () => request({ isUnmeasured: true, headers: ['Transfer-Encoding: x'] }),
  ],
  ['chunks', ['200'], () => request({ ...CHUNKED, body: chunked(CALL.slice(0, 10), CALL.slice(10)) })],
  ['a chunk of a wrong size', ['400'], () => request({ ...CHUNKED, body: `zz\r\n${CALL}\r\n0\r\n\r\n` })],
  [
    'a body of 11 MiB, declared',
    ['413 -32600'],
    () => request({ isUnmeasured: true, headers: [`Content-Length: ${11 * MIB}`] }),
  ],
  [
    'a body of 11 MiB in chunks',
    ['413 -32600'],
    () => request({ ...CHUNKED, body: chunked(Buffer.alloc(11 * MIB, ' ')) }),
  ],
  ['headers of 32 KiB', ['431'], () => request({ headers: [`X-Long: ${'a'.repeat(32_768)}`] })],
  ['5,000 headers', ['431'], () => request({ headers: Array.from({ length: 5_000 }, (_unused, n) => `X-${n}: ${n}`) })],
  ['a NUL in a header', ['400'], () => request({ headers: ['X-Nul: a\0b'] })],
  ['a folded header', ['400'], () => request({ headers: ['X-Folded: a\r\n b'] })],
  ['a bare line feed', ['400'], () => request({ headers: ['X-Bare: a\nX-Smuggled: b'] })],
  ['an expectation that nobody meets', ['417'], () => request({ headers: ['Expect: a-miracle'] })],
  ['an upgrade to WebSocket', ['200'], () => request({ headers: ['Connection: Upgrade', 'Upgrade: websocket'] })],
  [
    'two Authorizations',
    ['400 -32600'],
    () => request({ headers: [`Authorization: ${caller.headers.authorization}`] }),
  ],
  ['two Content-Types', ['400 -32600'], () => request({ headers: ['Content-Type: text/plain'] })],
  ['gzip', ['415 -32005'], () => request({ headers: ['Content-Encoding: gzip'], body: gzipSync(CALL) })],
  ['gzip that is none', ['415 -32005'], () => request({ headers: ['Content-Encoding: gzip'] })],
  ['identity', ['200'], () => request({ headers: ['Content-Encoding: identity'] })],
  [
    'invalid UTF-8',
    ['200 -32700'],
    () => request({ body: Buffer.from([...Buffer.from(CALL.slice(0, -2)), 0xff, 0x7d, 0x7d]) }),
  ],
  ['UTF-16', ['200 -32600'], () => request({ body: Buffer.from(CALL, 'utf16le') })],
  ['a byte order mark', ['200 -32700'], () => request({ body: `\ufeff${CALL}` })],
  ['a NUL in the body', ['200 -32600'], () => request({ body: CALL.replace('ListTasks', 'List\\u0000Tasks') })],
  ['5,000 levels of JSON', ['200 -32600'], () => request({ body: DEEP })],
  ['an empty body', ['200 -32700'], () => request({ body: '' })],
  ['a token of 12 KiB', ['401 -32000'], () => request({ token: 'e'.repeat(12 * 1024) })],
  ['a token of 1 MiB', ['431'], () => request({ token: 'e'.repeat(MIB) })],
  ['two good ones, and garbage behind them', ['400'], () => Buffer.concat([request(), request(), randomBytes(64)])],
];

type Behaviour = (raw: RawSocket) => Promise<void> | undefined;

/** What is slow, the milliseconds after which it is cut, and how it is answered. */
const SLOW: readonly (readonly [string, number, readonly number[], Behaviour])[] = [
  ['that say nothing', TIMES.headersMs, [408], () => undefined],
  ['whose headers drip', TIMES.headersMs, [408], (raw) => raw.drip(request().toString('latin1'), 50)],
  ['whose body drips', TIMES.requestMs, [408], (raw) => dripBody(raw, request())],
  [
    'whose chunks drip',
    TIMES.requestMs,
    [408],
    (raw) => dripBody(raw, request({ ...CHUNKED, body: `fff\r\n${CALL}` })),
  ],
  ['that ask no more', TIMES.idleMs, [200], (raw) => void raw.write(request())],
];

async function dripBody(raw: RawSocket, sent: Buffer): Promise<void> {
  const head = sent.indexOf('\r\n\r\n') + 4;
  raw.write(sent.subarray(0, head));
  await raw.drip(sent.subarray(head).toString('latin1'), 200);
}

async function cutAfter(ms: number, behave: Behaviour): Promise<{ ms: number; statuses: readonly number[] }> {
  const raw = await RawSocket.open(port);
  const [took] = await Promise.all([raw.closed(ms + PATIENCE_MS), behave(raw)]);
  return { ms: took, statuses: raw.statuses };
}

const NO_GRPC: readonly (readonly [string, () => Buffer])[] = [
  ['nothing at all', () => Buffer.alloc(0)],
  ['garbage', () => randomBytes(4_096)],
  ['HTTP/1.1', () => request()],
  ['half a preface', () => Buffer.from('PRI * HTTP/2.0\r\n')],
  ['a preface and garbage', () => Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), randomBytes(4_096)])],
];

async function cutByGrpc(sent: Buffer): Promise<number> {
  const raw = await RawSocket.open(Number(app.grpc?.split(':')[1]));
  raw.write(sent);
  return raw.closed(2 * TIMES.pingMs + PATIENCE_MS);
}

/** Asks for long answers and reads none; resolves when the server has cut all of these connections. */
async function readNothing(): Promise<void> {
  const client = new RpcClient(app.url, caller.headers);
  const { id } = await client.task('SendMessage', aMessage('x'.repeat(900_000), { skillId: 'echo' }));
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } });
  // A connection that is not read does not hear of its end: the server's side of it is what counts.
  const accepted = new Map<number | undefined, Socket>();
  app.app.getHttpServer().on('connection', (socket: Socket) => accepted.set(socket.remotePort, socket));
  const readers = await Promise.all([RawSocket.open(port), RawSocket.open(port)]);
  for (const raw of readers) {
    raw.socket.pause();
    for (let n = 0; n < 4; n += 1) raw.write(request({ body }));
  }
  const isCut = ({ socket }: RawSocket): boolean => accepted.get(socket.localPort)?.destroyed === true;
  // What the kernel took of an answer counts as a sign of life, once.
  const timeoutMs = 2 * TIMES.silenceMs + PATIENCE_MS;
  await eventually(() => expect(readers.every(isCut)).toBe(true), { timeoutMs });
  for (const raw of readers) raw.socket.destroy();
}

describe('whoever speaks HTTP badly', () => {
  const answers = new Map<string, Promise<readonly string[]>>();
  const cuts = new Map<string, ReturnType<typeof cutAfter>>();
  const grpcCuts = new Map<string, Promise<number>>();

  // All at once: most of them are only over when the connection is.
  beforeAll(async () => {
    for (const [what, , sent] of WRONG) answers.set(what, answersTo(sent()));
    for (const [what, ms, , behave] of SLOW) cuts.set(what, cutAfter(ms, behave));
    for (const [what, sent] of NO_GRPC) grpcCuts.set(what, cutByGrpc(sent()));
    await Promise.allSettled([...answers.values(), ...cuts.values(), ...grpcCuts.values()]);
  });

  it.each(WRONG)('with %s is answered %j', async (what, expected) => {
    expect(await answers.get(what)).toEqual(expected);
  });

  it.each(SLOW)('by connections %s is cut after %i ms: %j', async (what, ms, statuses) => {
    const cut = await cuts.get(what);
    expect(cut?.statuses).toEqual(statuses);
    expect(cut?.ms).toBeGreaterThan(ms * 0.9);
  });

  it.each(NO_GRPC)('to the port of gRPC, with %s, is cut', async (what) => {
    expect(await grpcCuts.get(what)).toBeGreaterThan(0);
  });

  it('and reads nothing of a long answer, is cut', readNothing);
});

it('all of it harms nobody else', async () => {
  const { statuses, slowestMs, calls } = neighbour.facts;
  expect(statuses).toEqual([200]);
  expect(calls).toBeGreaterThan(50);
  expect(slowestMs).toBeLessThan(PATIENCE_MS);
  const client = new RpcClient(app.url, caller.headers);
  const task = await client.task('SendMessage', aMessage('still here', { skillId: 'echo' }));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
});
