import { signal } from '@preact/signals';
import type { OperationName } from '../../../src/protocol/operations.js';
import type { Message } from './content.js';
import { send } from './request.js';
import { eventsOf } from './sse.js';
import type { Dialect, RpcAnswer, WireRequest } from './wire-request.js';

/** One thing that went over the wire: a request, its answer, or a frame of a stream. */
export interface WireEntry {
  readonly key: number;
  readonly direction: 'sent' | 'received' | 'note';
  readonly title: string;
  /** ms since the request. */
  readonly ms?: number;
  /** The `id:` of a frame: a stream can be resumed behind it. */
  readonly eventId?: string;
  readonly text?: string;
  /** The request for a shell, for the command line of A2A and for JavaScript. */
  readonly commands?: Commands;
}

export interface Commands {
  readonly curl: string;
  /** Absent for methods that it sends otherwise. */
  readonly parley?: string;
  readonly script: string;
}

/** What was sent and received, the oldest first; the last 500. */
export const wire = signal<readonly WireEntry[]>([]);
const KEPT = 500;
let counter = 0;

function note(entry: Omit<WireEntry, 'key'>): void {
  counter += 1;
  wire.value = [...wire.value.slice(1 - KEPT), { key: counter, ...entry }];
}

export function clearWire(): void {
  wire.value = [];
}

/** What a request is in a dialect, and how its answers are read. */
interface Spoken {
  readonly request: WireRequest;
  readonly read: (text: string, isEvent: boolean) => RpcAnswer;
}

/** The codecs are fetched where another dialect is chosen: JSON-RPC of 1.0 needs none. */
async function spoken(dialect: Dialect, operation: OperationName, params: unknown): Promise<Spoken> {
  if (dialect === 'rpc') {
    const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID().slice(0, 8), method: operation, params });
    const request = { path: '/', method: 'POST', headers: { 'a2a-version': '1.0' }, body } as const;
    return { request, read: (text) => JSON.parse(text) as RpcAnswer };
  }
  const { answerOf, requestOf } = await import('./dialects.js');
  const read = (text: string, isEvent: boolean): RpcAnswer => answerOf(dialect, operation, text, isEvent);
  return { request: requestOf(dialect, operation, params), read };
}

/** Calls an operation of A2A with the viewer's own credential. */
export async function call(operation: OperationName, params: unknown, dialect: Dialect = 'rpc'): Promise<RpcAnswer> {
  const began = performance.now();
  const { request, read } = await spoken(dialect, operation, params);
  const response = await sent(request, operation, params);
  const text = await response.text();
  note({
    direction: 'received',
    title: `${String(response.status)} ${operation}`,
    ms: performance.now() - began,
    text,
  });
  return read(text, false);
}

/** One frame of a stream. */
export interface Frame {
  readonly id: string | undefined;
  readonly answer: RpcAnswer;
}

interface StreamOptions {
  readonly signal: AbortSignal;
  /** The id of the event behind which a stream is resumed. */
  readonly after?: string;
  readonly dialect: Dialect;
  readonly onFrame: (frame: Frame) => void;
}

/** Reads a stream until it ends or is cut. */
export async function stream(
  operation: OperationName,
  params: unknown,
  { signal: end, after, dialect, onFrame }: StreamOptions,
): Promise<void> {
  const began = performance.now();
  const { request, read } = await spoken(dialect, operation, params);
  const headers = {
    ...request.headers,
    accept: 'text/event-stream',
    ...(after === undefined ? {} : { 'last-event-id': after }),
  };
  const response = await sent({ ...request, headers }, operation, params, end);
  try {
    for await (const { id, data } of eventsOf(response)) {
      const ms = performance.now() - began;
      note({ direction: 'received', title: 'event', ms, text: data, ...(id === undefined ? {} : { eventId: id }) });
      onFrame({ id, answer: read(data, true) });
    }
    note({ direction: 'note', title: 'The stream has ended', ms: performance.now() - began });
  } catch (error) {
    if (!end.aborted) throw error;
    note({ direction: 'note', title: 'You have cut the stream', ms: performance.now() - began });
  }
}

async function sent(
  { path, method, headers: own, body }: WireRequest,
  operation: OperationName,
  params: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...own };
  const after = own['last-event-id'];
  const request: WireRequest = { path, method, headers, ...(body === undefined ? {} : { body }) };
  const title = path === '/' ? operation : `${method} ${path}`;
  note({
    direction: 'sent',
    title: after === undefined ? title : `${title} behind ${after}`,
    ...(body === undefined ? {} : { text: body }),
    commands: commandsOf(request, operation, params),
  });
  const init = {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  };
  return send(path, init);
}

/** The request in other words. The credential is left out: commands are kept in histories. */
function commandsOf({ path, method, headers, body }: WireRequest, operation: OperationName, params: unknown): Commands {
  const url = `${location.origin}${path}`;
  const lines = Object.entries(headers).map(([name, value]) => `  -H '${name}: ${value}'`);
  const data = body === undefined ? [] : [`  -d ${quoted(body)}`];
  const curl = [`curl -sN -X ${method} ${quoted(url)}`, ...lines, ...data].join(' \\\n');
  const call = JSON.stringify({ method, headers, body });
  const parley = parleyOf(operation, params);
  return { curl, script: `await fetch(${JSON.stringify(url)}, ${call})`, ...(parley === undefined ? {} : { parley }) };
}

/** Undefined for a message with files, which the command would read from a disk. */
function parleyOf(method: string, params: unknown): string | undefined {
  const { id, message, metadata } = params as {
    readonly id?: string;
    readonly message?: Message & { readonly taskId?: string };
    readonly metadata?: { readonly skillId?: string };
  };
  const agent = `-a ${location.origin}`;
  if (method === 'GetTask') return `parley task get ${String(id)} ${agent}`;
  if (method === 'CancelTask') return `parley task cancel ${String(id)} ${agent}`;
  const { taskId, parts = [] } = message ?? {};
  const data = parts.flatMap((part) => (part.data === undefined ? [] : [part.data]));
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [`--text ${quoted(text)}`]));
  if (message === undefined || data.length > 1 || data.length + texts.length < parts.length) return undefined;
  const to = taskId === undefined ? [] : [`--task-id ${taskId}`];
  const skill = metadata?.skillId === undefined ? [] : [`--skill ${metadata.skillId}`];
  const send = ['parley send', agent, ...texts, ...to, ...skill].join(' ');
  return data.length === 0 ? send : `echo ${quoted(JSON.stringify(data[0]))} | ${send} --data -`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
