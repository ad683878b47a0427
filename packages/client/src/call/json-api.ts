import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { readSse, type SseEvent } from '@parley/protocol/binding/sse-reader.js';
import type { AgentAuth } from '../http/agent-auth.js';
import { type AgentAnswer, type AgentHttp, type AgentRequest, readAll, withCredential } from '../http/agent-http.js';
import { retryAfterOf } from '../http/failed-answer.js';
import { invalidAnswer, RemoteError, type RemoteErrorKind } from '../http/remote-errors.js';

const DEADLINES = { headers: 30_000, idle: 30_000, total: 60_000 };
/** Streams have a comment at least every half a minute; none for this long is a dead connection. */
const STREAM = { headers: 30_000, idle: 120_000 };
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_LINE_BYTES = 64 * 1024;

/** JSON over HTTP beside A2A: a registry of agents after ARD 0.91, or further routes of a Parley service. */
export class JsonApi {
  /**
   * @param base its URL: all paths are below it
   * @param name as messages call it
   */
  constructor(
    private readonly base: string,
    private readonly http: AgentHttp,
    private readonly auth: AgentAuth,
    private readonly name: 'registry' | 'agent',
  ) {}

  /** @throws RemoteError */
  get(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<JsonObject> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const text = new URLSearchParams(Object.fromEntries(given)).toString();
    return this.ask('GET', text === '' ? path : `${path}?${text}`);
  }

  /** @throws RemoteError */
  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<JsonObject> {
    return this.ask(method, path, body === undefined ? undefined : JSON.stringify(body));
  }

  /** The events of a stream, each with its id. @param after the id of the last one that is known. @throws RemoteError */
  async *events(path: string, after: string | undefined): AsyncGenerator<SseEvent> {
    const resumed = after === undefined ? {} : { 'last-event-id': after };
    const headers = { accept: 'text/event-stream', ...resumed };
    const answer = await this.request({ method: 'GET', path, headers, deadlines: STREAM });
    if (answer.status >= 400) throw this.refusal(answer, await valueOf(answer));
    const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
    if (answer.status !== 200 || !isStream) {
      throw invalidAnswer(`The ${this.name} answered ${String(answer.status)} without a stream of events`);
    }
    yield* readSse(answer.body, { mostLineBytes: MAX_LINE_BYTES, fault: invalidAnswer });
  }

  private async ask(method: AgentRequest['method'], path: string, body?: string): Promise<JsonObject> {
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body };
    const answer = await this.request({ method, path, headers, deadlines: DEADLINES, ...sent });
    const value = await valueOf(answer);
    if (answer.status >= 400) throw this.refusal(answer, value);
    if (answer.status >= 300 || !isJsonObject(value)) {
      throw invalidAnswer(`The ${this.name} answered ${String(answer.status)} without a JSON object`);
    }
    return value;
  }

  private async request({
    path,
    headers: own,
    ...request
  }: Omit<AgentRequest, 'url'> & { readonly path: string }): Promise<AgentAnswer> {
    const url = `${this.base.replace(/\/+$/, '')}/${path}`;
    return this.http.send(withCredential({ ...request, url, headers: own }, await this.auth.credential()));
  }

  private refusal({ status, headers }: AgentAnswer, value: unknown): RemoteError {
    const details = { status, retryAfterMs: retryAfterOf(headers['retry-after']) };
    return new RemoteError(kindOf(status), this.reasonIn(value, status), details);
  }

  /** The reason in the form of ARD (`message`), or of HTTP+JSON of A2A (`error.message`). */
  private reasonIn(value: unknown, status: number): string {
    const fault = isJsonObject(value) && isJsonObject(value.error) ? value.error : value;
    const said = isJsonObject(fault) && typeof fault.message === 'string' ? `: ${fault.message.slice(0, 500)}` : '';
    const isHost = this.name === 'registry' && status === 404 && new URL(this.base).pathname === '/';
    const hint = isHost ? '. The registry of a Parley service is at /registry of its address' : '';
    return `The ${this.name} answered ${String(status)}${said}${hint}`;
  }
}

async function valueOf({ body }: AgentAnswer): Promise<unknown> {
  const tooLarge = (): RemoteError => invalidAnswer(`The answer has more than ${String(MAX_BYTES)} bytes`);
  const bytes = await readAll(body, MAX_BYTES, tooLarge);
  try {
    return parseJson(bytes);
  } catch {
    // Whatever it is, it is no answer in JSON: the status says the rest.
    return undefined;
  }
}

function kindOf(status: number): RemoteErrorKind {
  if (status === 401 || status === 403) return 'auth';
  return status === 429 || status >= 500 ? 'busy' : 'refused';
}
