import { framesOf } from './sse-text.js';

/** JSON as it came: a wrong guess of its shape fails the test, which is its purpose. */
type Parsed = ReturnType<typeof JSON.parse>;

/** An HTTP+JSON answer as it came. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Parsed;
}

/** Speaks HTTP+JSON with nothing but fetch, so that tests see the bytes of the service. */
export class RestClient {
  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = { 'a2a-version': '1.0' },
  ) {}

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<RestAnswer> {
    const response = await this.open(method, path, body, headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** The `data` of every event of a stream, until it closes. */
  async events(method: string, path: string, body?: unknown): Promise<readonly Parsed[]> {
    const response = await this.open(method, path, body);
    return framesOf(await response.text()).map(({ data }) => JSON.parse(data));
  }

  async open(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const hasBody = body !== undefined;
    return fetch(`${this.url}${path}`, {
      method,
      headers: { ...(hasBody ? { 'content-type': 'application/a2a+json' } : {}), ...this.headers, ...headers },
      ...(hasBody ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
  }
}
