import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerGate } from '../auth/caller.gate.js';
import { ownerOf } from '../auth/principal.js';
import { expirySignal } from '../auth/principal-expiry.js';
import { Metrics } from '../metrics/metrics.js';
import type { HandledCall } from '../metrics/observation.js';
import type { Call } from '../operation/call.js';
import { BindingOptions } from './binding.options.js';
import { askedExtensions } from './extension-headers.js';
import { headerOf, headersOf } from './request-headers.js';

/** A stream may outlive its caller's credential by this much; then the caller must come back with a new one. */
const EXPIRY_GRACE_MS = 30_000;

/** Makes the call behind an HTTP request, as far as HTTP tells: the binding adds the version. Counts what came of it. */
@Injectable()
export class HttpCalls {
  constructor(
    private readonly gate: CallerGate,
    private readonly metrics: Metrics,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  handled(call: HandledCall): void {
    this.metrics.call(call);
  }

  /**
   * The signal ends when the client goes away before the answer is complete, or its credential is over.
   * @throws AuthError, RateLimitedError
   */
  async of(request: FastifyRequest, reply: FastifyReply): Promise<Omit<Call, 'version'>> {
    const principal = await this.gate.admitHttp(request);
    const expiry = principal.expiresAt === undefined ? undefined : expirySignal(principal, EXPIRY_GRACE_MS, Date.now());
    const gone = new AbortController();
    reply.raw.on('close', () => {
      expiry?.release();
      if (!reply.raw.writableFinished) gone.abort();
    });
    const traceparent = headerOf(request, 'traceparent');
    const lastEventId = headerOf(request, 'last-event-id');
    return {
      principal,
      owner: ownerOf(principal, this.options.ownership),
      address: request.ip,
      extensions: askedExtensions((name) => headersOf(request, name)),
      signal: expiry === undefined ? gone.signal : AbortSignal.any([gone.signal, expiry.signal]),
      tell: (headers) => {
        reply.headers(headers);
      },
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(lastEventId === undefined ? {} : { lastEventId }),
    };
  }
}
