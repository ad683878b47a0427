import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { framesOf } from '../../kit/callers/sse-text.js';
import type { RunningApp } from '../../kit/app/running-app.js';

type Parsed = ReturnType<typeof JSON.parse>;

/** One request as it goes over the wire: which of the members are there depends on the binding. */
export interface GoldenRequest {
  /** JSON-RPC or gRPC method, or HTTP verb. */
  readonly method: string;
  readonly path?: string;
  /** `params`, the body, or the request message. */
  readonly body?: unknown;
}

/** A request and the answer to it. */
export interface GoldenExchange {
  readonly operation: string;
  readonly request: GoldenRequest;
  /** The answer is a stream: `answer` lists its events. */
  readonly streams?: true;
  /** What is asked while the stream is open; the stream's answer comes after it. */
  readonly meanwhile?: GoldenExchange;
  /** Names for values of the answer, by their path in it; later requests and answers use them as `$name`. */
  readonly names?: Readonly<Record<string, string>>;
  readonly answer: unknown;
}

/** What one binding says in one version. */
export interface GoldenFile {
  readonly version: string;
  readonly binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  readonly headers: Readonly<Record<string, string>>;
  readonly exchanges: readonly GoldenExchange[];
}

const FOLDER = new URL('golden/', import.meta.url);

export function goldenFiles(): readonly GoldenFile[] {
  return readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as GoldenFile);
}

/** A stream that has been asked for. */
interface OpenStream {
  /** Resolves when the service has begun to answer. */
  readonly opened: Promise<unknown>;
  readonly events: Promise<readonly Parsed[]>;
}

/** One binding as a caller uses it. Answers are JSON, whatever they are on the wire. */
export interface Line {
  call(request: GoldenRequest): Promise<Parsed>;
  stream(request: GoldenRequest): OpenStream;
}

export function lineOf({ binding, version, headers }: GoldenFile, { url, grpc = '' }: RunningApp): Line {
  if (binding === 'JSONRPC') return rpcLine(new DialectClient(url, headers));
  if (binding === 'HTTP+JSON') return restLine(new RestClient(url, headers));
  return grpcLine(new GrpcClient(grpc, version === '1.0' ? A2AService : LegacyA2AService, headers));
}

function rpcLine(client: DialectClient): Line {
  const plain = ({ jsonrpc: _version, id: _id, ...answer }: Record<string, unknown>): unknown => answer;
  return {
    call: async ({ method, body, path }) => plain(JSON.parse(await (await client.open(method, body, path)).text())),
    stream: ({ method, body, path }) => eventsOf(client.open(method, body, path), plain),
  };
}

function restLine(client: RestClient): Line {
  return {
    async call({ method, path = '', body }) {
      const response = await client.open(method, path, body);
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    stream: ({ method, path = '', body }) => eventsOf(client.open(method, path, body), (event) => event),
  };
}

function eventsOf(opened: Promise<Response>, read: (event: Parsed) => unknown): OpenStream {
  const text = opened.then((response) => response.text());
  return { opened, events: text.then((all) => framesOf(all).map(({ data }) => read(JSON.parse(data)))) };
}

/** Messages as the SDK's codec makes them, written as JSON. A failure is its status code and text. */
function grpcLine(client: GrpcClient): Line {
  const json = (answer: unknown): Parsed => JSON.parse(JSON.stringify(answer));
  const failure = ({ code, details }: { code: number; details: string }): unknown => ({ code, details });
  return {
    call: async ({ method, body }) => json(await client.call(method, body).catch(failure)),
    stream({ method, body }) {
      const stream = client.stream(method, body);
      return { opened: once(stream, 'metadata'), events: stream.toArray().then(json) };
    },
  };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RANDOM_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The answer with names in place of what is different in every run. */
export function normalised(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return normalisedText(value, names);
  if (Array.isArray(value)) return value.map((entry) => normalised(entry, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, normalised(member, names)]));
}

function normalisedText(text: string, names: ReadonlyMap<string, string>): string {
  if (TIME.test(text)) return '<time>';
  const named = [...names].reduce((sum, [value, name]) => sum.replaceAll(value, `$${name}`), text);
  return RANDOM_ID.test(named) ? '<id>' : named;
}

/** The request with values in place of `$names`. */
export function filledIn<T>(request: T, names: ReadonlyMap<string, string>): T {
  const text = [...names].reduce(
    // The longest first: no name may be taken for the beginning of another.
    (sum, [value, name]) => sum.replaceAll(`$${name}`, value),
    JSON.stringify(request),
  );
  return JSON.parse(text) as T;
}

/** The text at a path like `task.id` or `0.task.id`. */
export function at(answer: unknown, path: string): string {
  const found = path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], answer);
  if (typeof found !== 'string') throw new Error(`There is no text at ${path} of ${JSON.stringify(answer)}`);
  return found;
}
