import type { AgentAnswer, AgentHttp, AgentRequest } from './agent-http.js';

/** One line about the exchange with an agent, without credentials. */
export type WireLine = (line: string) => void;

/** Headers whose values may be logged; the value of any other is replaced. */
const PLAIN_HEADERS = new Set([
  ...['accept', 'content-type', 'content-length', 'a2a-version', 'a2a-extensions', 'last-event-id', 'retry-after'],
  ...['traceparent', 'etag', 'cache-control', 'if-none-match', 'date', 'server', 'transfer-encoding', 'connection'],
]);

/** Members of JSON whose values are credentials, in requests and answers. */
const SECRET_MEMBER =
  /("(?:token|credentials|access_token|refresh_token|id_token|client_secret|password|secret|api_?key)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;

/** The query of a URL may have an API key: its values are replaced. */
function withoutQuery(url: string): string {
  return url.replaceAll(/([?&][^=&#]+)=[^&#]*/g, '$1=***');
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(
    ([name, value]) => `${mark} ${name}: ${PLAIN_HEADERS.has(name.toLowerCase()) ? value : '***'}`,
  );
}

/** Form bodies are those of token requests: nothing of them is shown. */
function bodyText(body: string | undefined, contentType: string): string {
  if (body === undefined) return '';
  return contentType.includes('json') ? redacted(body) : `(${String(Buffer.byteLength(body))} bytes)`;
}

/** JSON text with the values of its secret members replaced. */
export function redacted(json: string): string {
  return json.replaceAll(SECRET_MEMBER, '$1"***"');
}

/** Writes down every request and each piece of every answer, with credentials replaced whatever the verbosity. */
export class LoggedHttp implements AgentHttp {
  constructor(
    private readonly inner: AgentHttp,
    private readonly write: WireLine,
    private readonly now: () => number = Date.now,
  ) {}

  async send(request: AgentRequest): Promise<AgentAnswer> {
    const begun = this.now();
    this.write(`> ${request.method} ${withoutQuery(request.url)}`);
    for (const line of headerLines('>', request.headers)) this.write(line);
    const body = bodyText(request.body, request.headers['content-type'] ?? '');
    if (body !== '') this.write(`> ${body}`);
    try {
      const answer = await this.inner.send(request);
      this.write(`< ${String(answer.status)} after ${String(this.now() - begun)} ms`);
      for (const line of headerLines('<', answer.headers)) this.write(line);
      return { ...answer, body: this.logged(answer.body) };
    } catch (error) {
      this.write(`! ${error instanceof Error ? error.message : String(error)} after ${String(this.now() - begun)} ms`);
      throw error;
    }
  }

  /** Lines are joined before they are redacted: a piece may end inside of a secret. */
  private async *logged(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let open: Buffer[] = [];
    for await (const piece of body) {
      const end = piece.lastIndexOf(0x0a);
      if (end < 0) {
        open.push(piece);
      } else {
        this.lines(Buffer.concat([...open, piece.subarray(0, end)]));
        open = [piece.subarray(end + 1)];
      }
      yield piece;
    }
    this.lines(Buffer.concat(open));
  }

  private lines(text: Buffer): void {
    for (const line of redacted(text.toString('utf8')).split('\n')) if (line !== '') this.write(`< ${line}`);
  }
}
