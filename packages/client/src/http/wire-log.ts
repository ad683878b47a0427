import type { AgentAnswer, AgentHttp, AgentRequest } from './agent-http.js';

/** One message to or from an agent, without credentials. */
export type WireNote =
  | {
      readonly kind: 'sent';
      readonly method: AgentRequest['method'];
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly ms: number;
    }
  /** A line of the answer's body that is not empty. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'broken'; readonly why: string; readonly ms: number };

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

function shownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    PLAIN_HEADERS.has(name.toLowerCase()) ? value : '***',
  ]);
  return Object.fromEntries(shown) as Record<string, string>;
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

/** Notes every request and each line of every answer, with credentials replaced whatever the verbosity. */
export class NotedHttp implements AgentHttp {
  /** @param note its error ends the exchange */
  constructor(
    private readonly inner: AgentHttp,
    private readonly note: (note: WireNote) => void,
    private readonly now: () => number = Date.now,
  ) {}

  async send(request: AgentRequest): Promise<AgentAnswer> {
    const begun = this.now();
    const { method, url, headers } = request;
    const body = bodyText(request.body, headers['content-type'] ?? '');
    const shown = { method, url: withoutQuery(url), headers: shownHeaders(headers) };
    this.note({ kind: 'sent', ...shown, ...(body === '' ? {} : { body }) });
    try {
      const { status, headers, body } = await this.inner.send(request);
      this.note({ kind: 'answered', status, headers: shownHeaders(headers), ms: this.now() - begun });
      return { status, headers, body: this.noted(body) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.note({ kind: 'broken', why, ms: this.now() - begun });
      throw error;
    }
  }

  /** Lines are joined before they are redacted: a piece may end inside of a secret. */
  private async *noted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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

  private lines(body: Buffer): void {
    for (const text of redacted(body.toString('utf8')).split('\n')) if (text !== '') this.note({ kind: 'text', text });
  }
}

/** Writes the exchange as lines, for a terminal. */
export class LoggedHttp extends NotedHttp {
  constructor(inner: AgentHttp, write: WireLine, now: () => number = Date.now) {
    const writeAll = (note: WireNote): void => {
      for (const line of linesOf(note)) write(line);
    };
    super(inner, writeAll, now);
  }
}

function linesOf(note: WireNote): readonly string[] {
  switch (note.kind) {
    case 'sent': {
      const { method, url, headers, body } = note;
      return [`> ${method} ${url}`, ...headerLines('>', headers), ...(body === undefined ? [] : [`> ${body}`])];
    }
    case 'answered':
      return [`< ${String(note.status)} after ${String(note.ms)} ms`, ...headerLines('<', note.headers)];
    case 'text':
      return [`< ${note.text}`];
    case 'broken':
      return [`! ${note.why} after ${String(note.ms)} ms`];
  }
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`);
}
