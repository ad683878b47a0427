import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AgentAnswer, AgentHttp, AgentRequest } from './agent-http.js';
import { RemoteError } from './remote-errors.js';

/** How connections of the command line are made. */
export interface PlainHttpOptions {
  /** True: certificates are not verified (`--insecure`). */
  readonly insecure?: boolean;
  /** A client certificate and its key, PEM. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Requests of the command line: to the addresses that its user names, loopback included. It follows no redirects and
 * knows no proxies.
 */
export class PlainHttp implements AgentHttp {
  constructor(private readonly options: PlainHttpOptions = {}) {}

  async send(request: AgentRequest): Promise<AgentAnswer> {
    const controller = new AbortController();
    const { signal, deadlines } = request;
    const abort = (): void => {
      controller.abort();
    };
    signal?.addEventListener('abort', abort, { once: true });
    const total = deadlines.total === undefined ? undefined : setTimeout(abort, deadlines.total);
    const headers = setTimeout(abort, deadlines.headers);
    const end = (): void => {
      clearTimeout(total);
      signal?.removeEventListener('abort', abort);
    };
    const fault = (cause: unknown): unknown => {
      signal?.throwIfAborted();
      if (controller.signal.aborted) return new RemoteError('timeout', 'The agent did not answer in time', { cause });
      return new RemoteError('unreachable', `The agent could not be reached: ${reasonOf(cause)}`, { cause });
    };
    try {
      signal?.throwIfAborted();
      const answer = await this.open(request, controller.signal);
      answer.setTimeout(deadlines.idle, abort);
      return { status: answer.statusCode ?? 0, headers: headersOf(answer), body: pieces(answer, { end, fault }) };
    } catch (error) {
      end();
      throw fault(error);
    } finally {
      clearTimeout(headers);
    }
  }

  private open({ url, method, headers, body }: AgentRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { insecure, cert, key } = this.options;
    const target = targetOf(url);
    const isTls = target.protocol === 'https:';
    const tls = isTls ? { rejectUnauthorized: insecure !== true, ...(cert === undefined ? {} : { cert, key }) } : {};
    return new Promise((resolve, reject) => {
      const send = isTls ? httpsRequest : httpRequest;
      // A connection of its own for each call: a command makes few, and must not be kept alive by one.
      const call = send(target, {
        method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        signal,
        agent: false,
        ...tls,
      });
      call.on('response', resolve).on('error', reject);
      call.end(body);
    });
  }
}

function targetOf(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target?.protocol === 'http:' || target?.protocol === 'https:') return target;
  throw new Error(`${url} is not an http or https URL`);
}

async function* pieces(
  answer: IncomingMessage,
  call: { readonly end: () => void; readonly fault: (cause: unknown) => unknown },
): AsyncGenerator<Buffer> {
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    throw call.fault(error);
  } finally {
    call.end();
    answer.destroy();
  }
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? (value[0] ?? '') : value]],
    ),
  );
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return cause.message === '' ? (code ?? cause.name) : cause.message;
}
