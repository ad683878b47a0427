import type { JsonObject } from '../../protocol/json.js';
import { isJsonObject } from '../../wire/json-value.js';
import { parseJson } from '../../wire/parse-json.js';
import type { AgentAuth } from './agent-auth.js';
import { type AgentHttp, type AgentRequest, readAll } from './agent-http.js';
import { retryAfterOf } from './failed-answer.js';
import { invalidAnswer, RemoteError, type RemoteErrorKind } from './remote-errors.js';

const DEADLINES = { headers: 30_000, idle: 30_000, total: 60_000 };
const MOST_BYTES = 16 * 1024 * 1024;

/** JSON over HTTP beside A2A: a registry of agents after ARD 0.91, or what a Parley service offers on routes of its own. */
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

  private async ask(method: AgentRequest['method'], path: string, body?: string): Promise<JsonObject> {
    const { headers = {} } = await this.auth.credential();
    const answer = await this.http.send({
      ...{ method, url: `${this.base.replace(/\/+$/, '')}/${path}`, deadlines: DEADLINES },
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const tooLarge = (): RemoteError => invalidAnswer(`The answer has more than ${String(MOST_BYTES)} bytes`);
    const value = jsonIn(await readAll(answer.body, MOST_BYTES, tooLarge));
    if (answer.status >= 400) {
      throw new RemoteError(kindOf(answer.status), this.reasonIn(value, answer.status), {
        status: answer.status,
        retryAfterMs: retryAfterOf(answer.headers['retry-after']),
      });
    }
    if (answer.status >= 300 || !isJsonObject(value)) {
      throw invalidAnswer(`The ${this.name} answered ${String(answer.status)} without a JSON object`);
    }
    return value;
  }

  /** The reason in the form of ARD (`message`), or of HTTP+JSON of A2A (`error.message`). */
  private reasonIn(value: unknown, status: number): string {
    const fault = isJsonObject(value) && isJsonObject(value.error) ? value.error : value;
    const said = isJsonObject(fault) && typeof fault.message === 'string' ? `: ${fault.message.slice(0, 500)}` : '';
    return `The ${this.name} answered ${String(status)}${said}`;
  }
}

function jsonIn(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch {
    // Whatever it is, it is no answer in JSON: the status says the rest.
    return undefined;
  }
}

function kindOf(status: number): RemoteErrorKind {
  if (status === 401 || status === 403) return 'auth';
  return status === 429 || status >= 500 ? 'busy' : 'refused';
}
