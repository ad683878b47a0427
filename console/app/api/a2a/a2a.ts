import { signal } from '@preact/signals';
import { type OperationName, STREAMS } from '@parley/protocol/model/operations.js';
import type { Message } from '../content.js';
import { send } from '../request.js';
import { eventsOf } from './sse.js';
import type { Dialect, RpcAnswer, WireRequest } from './wire-request.js';

type Headers = Readonly<Record<string, string>>;

/** One thing that went over the wire: a request, its answer, or a frame of a stream. */
export interface WireEntry {
  readonly key: number;
  readonly direction: 'sent' | 'received' | 'note';
  readonly title: string;
  /** ms since the request. */
  readonly ms?: number;
  /** The `id:` of a frame: a stream can be resumed behind it. */
  readonly eventId?: string;
  /** Without credentials. */
  readonly headers?: Headers;
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

/** Sent and received messages, the oldest first; the last 500. */
export const wire = signal<readonly WireEntry[]>([]);
const KEPT = 500;
let counter = 0;

/** A request that can be repeated in other words. */
interface Repeatable {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** As `parley` names it. */
  readonly agent: string;
  readonly operation: OperationName;
  readonly params: unknown;
}

export function note({
  request,
  ...entry
}: Omit<WireEntry, 'key' | 'commands'> & { readonly request?: Repeatable }): void {
  counter += 1;
  const commands = request === undefined ? {} : { commands: commandsOf(request) };
  wire.value = [...wire.value.slice(1 - KEPT), { key: counter, ...entry, ...commands }];
}

export function clearWire(): void {
  wire.value = [];
}

/** Request to an agent, in the terms of A2A 1.0. */
export interface Spoken {
  readonly operation: OperationName;
  readonly params: unknown;
}

/** Form of a request in a dialect, and the reader of its answers. */
interface Written {
  readonly request: WireRequest;
  readonly read: (text: string, isEvent: boolean) => RpcAnswer;
}

/** The codecs are fetched where another dialect is chosen: JSON-RPC of 1.0 needs none. */
async function written({ operation, params }: Spoken, dialect: Dialect): Promise<Written> {
  if (dialect === 'rpc') {
    const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID().slice(0, 8), method: operation, params });
    const request = { path: '/', method: 'POST', headers: { 'a2a-version': '1.0' }, body } as const;
    return { request, read: (text) => JSON.parse(text) as RpcAnswer };
  }
  const { answerOf, requestOf } = await import('./dialects.js');
  const read = (text: string, isEvent: boolean): RpcAnswer => answerOf(dialect, operation, text, isEvent);
  return { request: requestOf(dialect, operation, params), read };
}

/** Answer of an agent; of a stream, one event. */
export interface Frame {
  readonly id: string | undefined;
  readonly answer: RpcAnswer;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** The id of the event behind which a stream is resumed. */
  readonly after?: string;
  readonly dialect: Dialect;
  readonly onFrame: (frame: Frame) => void;
}

/** Calls this agent with the viewer's own credential, until it has answered or the stream is cut. */
export async function callOwn(spoken: Spoken, options: StreamOptions): Promise<void> {
  if (STREAMS[spoken.operation]) await stream(spoken, options);
  else options.onFrame({ id: undefined, answer: await call(spoken, options.dialect) });
}

/** Calls an operation of this agent that does not stream. */
export async function call(spoken: Spoken, dialect: Dialect = 'rpc'): Promise<RpcAnswer> {
  const began = performance.now();
  const { request, read } = await written(spoken, dialect);
  const response = await sent(request, spoken);
  const text = await response.text();
  note({ ...answered(response, spoken, began), text });
  return read(text, false);
}

async function stream(spoken: Spoken, { signal: end, after, dialect, onFrame }: StreamOptions): Promise<void> {
  const began = performance.now();
  const { request, read } = await written(spoken, dialect);
  const headers = {
    ...request.headers,
    accept: 'text/event-stream',
    ...(after === undefined ? {} : { 'last-event-id': after }),
  };
  const response = await sent({ ...request, headers }, spoken, end);
  note(answered(response, spoken, began));
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

/** The service's answers have no credentials in their headers. */
function answered({ status, headers }: Response, { operation }: Spoken, began: number) {
  return {
    direction: 'received',
    ...{ title: `${String(status)} ${operation}`, ms: performance.now() - began },
    headers: Object.fromEntries(headers),
  } as const;
}

async function sent({ path, method, headers: own, body }: WireRequest, spoken: Spoken, signal?: AbortSignal) {
  const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...own };
  const after = own['last-event-id'];
  const title = path === '/' ? spoken.operation : `${method} ${path}`;
  const agent = location.origin;
  note({
    direction: 'sent',
    title: after === undefined ? title : `${title} behind ${after}`,
    headers,
    ...(body === undefined ? {} : { text: body }),
    request: { url: agent + path, method, headers, body, agent, ...spoken },
  });
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  return send(path, signal === undefined ? init : { ...init, signal });
}

/** The request in other words. The credential is left out: commands are kept in histories. */
function commandsOf({ url, method, headers, body, agent, operation, params }: Repeatable): Commands {
  const plain = Object.entries(headers).filter(([, value]) => value !== '***');
  const lines = plain.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`);
  const data = body === undefined ? [] : [`  -d ${quoted(body)}`];
  const curl = [`curl -sN -X ${method} ${quoted(url)}`, ...lines, ...data].join(' \\\n');
  const call = JSON.stringify({ method, headers: Object.fromEntries(plain), body });
  const parley = parleyOf(agent, operation, params);
  return { curl, script: `await fetch(${JSON.stringify(url)}, ${call})`, ...(parley === undefined ? {} : { parley }) };
}

/** Undefined for a message with files, which the command would read from a disk. */
function parleyOf(of: string, method: string, params: unknown): string | undefined {
  const { id, message, metadata } = params as {
    readonly id?: string;
    readonly message?: Message & { readonly taskId?: string };
    readonly metadata?: { readonly skillId?: string };
  };
  const agent = `-a ${plainOr(of)}`;
  if (method === 'GetTask') return `parley task get ${plainOr(String(id))} ${agent}`;
  if (method === 'CancelTask') return `parley task cancel ${plainOr(String(id))} ${agent}`;
  const { taskId, parts = [] } = message ?? {};
  const data = parts.flatMap((part) => (part.data === undefined ? [] : [part.data]));
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [`--text ${quoted(text)}`]));
  if (message === undefined || data.length > 1 || data.length + texts.length < parts.length) return undefined;
  const to = taskId === undefined ? [] : [`--task-id ${plainOr(taskId)}`];
  const skill = metadata?.skillId === undefined ? [] : [`--skill ${plainOr(metadata.skillId)}`];
  const send = ['parley send', agent, ...texts, ...to, ...skill].join(' ');
  return data.length === 0 ? send : `echo ${quoted(JSON.stringify(data[0]))} | ${send} --data -`;
}

/** For a shell: names of another agent may be anything. */
function plainOr(text: string): string {
  return /^[\w.:/@-]+$/.test(text) ? text : quoted(text);
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
