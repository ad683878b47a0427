import { framesOf } from './sse-text.js';

type Parsed = ReturnType<typeof JSON.parse>;

/** Speaks JSON-RPC in any dialect with nothing but fetch. */
export class DialectClient {
  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async open(method: string, params?: unknown, path = '/'): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    });
  }

  /** The answer with its envelope. */
  async call(method: string, params?: unknown): Promise<Parsed> {
    return JSON.parse(await (await this.open(method, params)).text());
  }

  /** The `result` of an answer; throws when it is an error. */
  async result(method: string, params?: unknown): Promise<Parsed> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** The results of a stream until it closes. */
  async results(method: string, params?: unknown, path = '/'): Promise<readonly Parsed[]> {
    const text = await (await this.open(method, params, path)).text();
    return framesOf(text).map(({ data }) => JSON.parse(data).result);
  }
}
