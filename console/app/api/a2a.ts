import { signal } from '@preact/signals';
import type { Message } from './content.js';
import { send } from './request.js';
import { eventsOf } from './sse.js';

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

/** An answer of JSON-RPC. */
export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Calls a method of A2A 1.0 with the viewer's own credential. */
export async function call(method: string, params: unknown): Promise<RpcAnswer> {
  const began = performance.now();
  const response = await post(method, params, {});
  const text = await response.text();
  note({ direction: 'received', title: `${String(response.status)} ${method}`, ms: performance.now() - began, text });
  return JSON.parse(text) as RpcAnswer;
}

/** One frame of a stream. */
export interface Frame {
  readonly id: string | undefined;
  readonly answer: RpcAnswer;
}

/** Reads a stream until it ends or is cut. @param after the id of the event behind which a stream is resumed */
export async function stream(
  method: string,
  params: unknown,
  {
    signal: end,
    after,
    onFrame,
  }: { readonly signal: AbortSignal; readonly after?: string; readonly onFrame: (frame: Frame) => void },
): Promise<void> {
  const began = performance.now();
  const headers = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) };
  const response = await post(method, params, headers, end);
  try {
    for await (const { id, data } of eventsOf(response)) {
      const ms = performance.now() - began;
      note({ direction: 'received', title: 'event', ms, text: data, ...(id === undefined ? {} : { eventId: id }) });
      onFrame({ id, answer: JSON.parse(data) as RpcAnswer });
    }
    note({ direction: 'note', title: 'The stream has ended', ms: performance.now() - began });
  } catch (error) {
    if (!end.aborted) throw error;
    note({ direction: 'note', title: 'You have cut the stream', ms: performance.now() - began });
  }
}

async function post(
  method: string,
  params: unknown,
  more: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', ...more };
  const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID().slice(0, 8), method, params });
  const after = more['last-event-id'];
  note({
    direction: 'sent',
    title: after === undefined ? method : `${method} behind ${after}`,
    text: body,
    commands: commandsOf(headers, body, method, params),
  });
  return send('/', { method: 'POST', headers, body, ...(signal === undefined ? {} : { signal }) });
}

/** The request in other words. The credential is left out: commands are kept in histories. */
function commandsOf(
  headers: Readonly<Record<string, string>>,
  body: string,
  method: string,
  params: unknown,
): Commands {
  const lines = Object.entries(headers).map(([name, value]) => `  -H '${name}: ${value}' \\`);
  const curl = [`curl -sN ${location.origin}/ \\`, ...lines, `  -d ${quoted(body)}`].join('\n');
  const call = `{ method: 'POST', headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(body)} }`;
  const parley = parleyOf(method, params);
  return { curl, script: `await fetch('${location.origin}/', ${call})`, ...(parley === undefined ? {} : { parley }) };
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
