import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';
import { DnsGate } from './dns-gate.js';
import { EgressPolicy, type EgressRules, type Judgement } from './egress-policy.js';
import { BlockedAddressError } from './egress.errors.js';
import { type ClientCertificate, guardedConnector } from './guarded-connector.js';
import { resolveListedName, resolvePublicName, type Resolve } from './resolver.js';
import { carrierOf, type TraceCarrier } from '../platform/tracing/trace-carrier.js';
import { tracedInside } from '../platform/tracing/traced.js';
import { describeResponse, requestSpanOptions } from './request-span.js';
import type { Target } from '@parley/client/address/target.js';
import { egressErrorOf } from './transport-fault.js';

/** Deadlines of the steps of a request, in milliseconds; `total` includes reading the body. */
export interface EgressDeadlines {
  readonly dns: number;
  readonly connect: number;
  readonly headers: number;
  readonly total: number;
}

export const DEFAULT_DEADLINES: EgressDeadlines = { dns: 2000, connect: 3000, headers: 10_000, total: 15_000 };

export interface EgressOptions extends EgressRules {
  readonly deadlines?: EgressDeadlines;
  /** More certificate authorities to trust, PEM. */
  readonly ca?: string;
  /** The client certificate for mutual TLS, PEM. */
  readonly certificate?: ClientCertificate;
  /** Replaces the name servers (tests). */
  readonly resolve?: Resolve;
}

export interface EgressRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Bytes of the answer to read before the connection is closed; default 16 KiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** A request whose answer is streamed. */
export interface EgressStreamRequest extends Omit<EgressRequest, 'maxBytes'> {
  /** Deadlines of this call, ms; the client's own where absent. */
  readonly deadlines?: StreamDeadlines;
}

export interface StreamDeadlines {
  /** Until the headers of the answer. */
  readonly headers?: number;
  /** Between two chunks of the body. */
  readonly idle?: number;
  /** For the whole answer; absent: no limit, for a stream that lives as long as its task. */
  readonly total?: number;
}

/** An answer with a streamed body. Leaving the body early closes the connection. */
export interface EgressStream {
  readonly status: number;
  /** Lower-case names; of a repeated header the first value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws `EgressTimeoutError`, `EgressTransportError` or the reason of the request's signal. */
  readonly body: AsyncIterable<Buffer>;
}

export interface EgressResponse {
  readonly status: number;
  /** Lower-case names; of a repeated header the first value. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most `maxBytes` of the answer, never decompressed. */
  readonly body: Buffer;
  /** True: the answer was longer than `maxBytes`. */
  readonly truncated: boolean;
}

const DEFAULT_MAX_BYTES = 16 * 1024;

/**
 * The client for all outgoing requests to addresses named by callers or configuration. Follows no redirects, ignores
 * proxy variables and keeps no cookies.
 */
export class GuardedClient implements OnApplicationShutdown {
  private readonly policy: EgressPolicy;
  private readonly gate: DnsGate;
  private readonly agent: Agent;
  private readonly deadlines: EgressDeadlines;

  constructor(options: EgressOptions) {
    this.deadlines = options.deadlines ?? DEFAULT_DEADLINES;
    this.policy = new EgressPolicy(options);
    this.gate = new DnsGate(this.policy, {
      publicNames: options.resolve ?? resolvePublicName,
      listedNames: options.resolve ?? resolveListedName,
      timeoutMs: this.deadlines.dns,
    });
    this.agent = agentOf(this.gate, this.deadlines, options);
  }

  /**
   * Checks a URL before a request, including its name if it resolves. An unresolvable name passes: it may exist later,
   * and each connection is checked again.
   */
  async judge(url: string): Promise<Judgement<Target>> {
    const judged = this.policy.judgeUrl(url);
    if (!judged.allowed) return judged;
    try {
      await this.gate.addressesOf(judged.value);
    } catch (error) {
      if (error instanceof BlockedAddressError) return { allowed: false, reason: error.reason };
    }
    return judged;
  }

  /**
   * Sends one request. Throws `BlockedAddressError`, `EgressTimeoutError` or `EgressTransportError`, or the reason of
   * `request.signal`. Inside a recorded span the request has one of its own, and carries it (W3C Trace Context).
   */
  request(request: EgressRequest): Promise<EgressResponse> {
    return tracedInside(
      request.method,
      () => requestSpanOptions(request),
      async (span) => {
        const response = await this.send(request, span === undefined ? {} : carrierOf(span));
        if (span !== undefined) describeResponse(span, response.status);
        return response;
      },
    );
  }

  /**
   * Sends one request and resolves with the headers of its answer. Throws as `request` does. A body must be read to its
   * end or left; either ends the call's deadline.
   */
  async open(request: EgressStreamRequest): Promise<EgressStream> {
    const judged = this.policy.judgeUrl(request.url);
    if (!judged.allowed) throw new BlockedAddressError(judged.reason);
    const { headers = this.deadlines.headers, idle = this.deadlines.total, total } = request.deadlines ?? {};
    const cut = callCut(request.signal, total);
    const fault = (error: unknown): unknown => {
      request.signal?.throwIfAborted();
      return egressErrorOf(error, cut.signal.aborted);
    };
    try {
      request.signal?.throwIfAborted();
      const timeouts = { headersTimeout: headers, bodyTimeout: idle };
      const answer = await this.agent.request({ ...dispatchOf(request), signal: cut.signal, ...timeouts });
      const body = piecesOf(answer.body, { end: cut.end, fault });
      return { status: answer.statusCode, headers: firstValues(answer.headers), body };
    } catch (error) {
      cut.end();
      throw fault(error);
    }
  }

  private async send(request: EgressRequest, trace: TraceCarrier): Promise<EgressResponse> {
    const judged = this.policy.judgeUrl(request.url);
    if (!judged.allowed) throw new BlockedAddressError(judged.reason);
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    const timer = setTimeout(abort, this.deadlines.total);
    request.signal?.addEventListener('abort', abort, { once: true });
    try {
      request.signal?.throwIfAborted();
      return await this.exchange({ ...request, headers: { ...request.headers, ...trace } }, controller.signal);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw egressErrorOf(error, controller.signal.aborted);
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
    }
  }

  /** Closes all connections, once all deliveries have ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async exchange(request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    const { statusCode, headers, body } = await this.agent.request({ ...dispatchOf(request), signal });
    const read = await readUpTo(body, request.maxBytes ?? DEFAULT_MAX_BYTES);
    return { status: statusCode, headers: firstValues(headers), ...read };
  }
}

function dispatchOf({ url, method, headers, body }: EgressRequest) {
  const { origin, pathname, search } = new URL(url);
  return {
    ...{ origin, path: pathname + search, method, body: body ?? null },
    headers: { ...headers, 'accept-encoding': 'identity' },
  };
}

/** A signal that aborts with the caller's or at the deadline, until `end` is called. */
function callCut(signal: AbortSignal | undefined, totalMs: number | undefined) {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  const timer = totalMs === undefined ? undefined : setTimeout(abort, totalMs);
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    end: (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

async function* piecesOf(
  stream: Dispatcher.ResponseData['body'],
  call: { readonly end: () => void; readonly fault: (error: unknown) => unknown },
): AsyncGenerator<Buffer, void, void> {
  try {
    // Leaving the loop destroys the stream and with it the connection.
    for await (const piece of stream as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    throw call.fault(error);
  } finally {
    call.end();
  }
}

function agentOf(gate: DnsGate, deadlines: EgressDeadlines, { ca, certificate }: EgressOptions): Agent {
  return new Agent({
    connect: guardedConnector(gate, {
      timeoutMs: deadlines.connect,
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { certificate }),
    }),
    headersTimeout: deadlines.headers,
    bodyTimeout: deadlines.total,
    pipelining: 1,
    maxHeaderSize: DEFAULT_MAX_BYTES,
    // A checked connection may be reused, but only shortly: names change their addresses.
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 30_000,
  });
}

async function readUpTo(
  stream: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Pick<EgressResponse, 'body' | 'truncated'>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the stream and with it the connection.
    if (length > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: length > maxBytes };
}

function firstValues(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, string>;
}
