import { signal } from '@preact/signals';
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
  /** The request as a command. */
  readonly curl?: string;
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
    curl: curlOf(headers, body),
  });
  return send('/', { method: 'POST', headers, body, ...(signal === undefined ? {} : { signal }) });
}

/** The request for a shell. The credential is left out: commands are kept in histories. */
function curlOf(headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `  -H '${name}: ${value}' \\`);
  return [`curl -sN ${location.origin}/ \\`, ...lines, `  -d '${body.replaceAll("'", String.raw`'\''`)}'`].join('\n');
}
