import type { Credential } from './agent-auth.js';
import type { RemoteError } from './remote-errors.js';

/** One HTTP request to an agent. */
export interface AgentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlines: AgentDeadlines;
  readonly signal?: AbortSignal | undefined;
}

/** Deadlines of one call, ms. */
export interface AgentDeadlines {
  /** Until the headers of the answer. */
  readonly headers: number;
  /** Between two pieces of the body. */
  readonly idle: number;
  /** For all of it; absent for a stream. */
  readonly total?: number;
}

/** The answer of an agent: its body is read as it comes, and leaving it early cuts the connection. */
export interface AgentAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

/** How requests reach agents: through the egress guard in the service, by Node's own fetch on a person's machine. */
export interface AgentHttp {
  /** Follows no redirects. Throws `RemoteError` `unreachable`, `blocked` or `timeout`. */
  send(request: AgentRequest): Promise<AgentAnswer>;
}

/** Reads a whole body. @throws the error of `tooLarge`, for a body of more bytes */
export async function readAll(
  body: AsyncIterable<Buffer>,
  mostBytes: number,
  tooLarge: () => RemoteError,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > mostBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export function withCredential(request: AgentRequest, { headers, query = {} }: Credential): AgentRequest {
  const added = new URLSearchParams(query).toString();
  const url = added === '' ? request.url : `${request.url}${request.url.includes('?') ? '&' : '?'}${added}`;
  return { ...request, url, headers: { ...request.headers, ...headers } };
}
