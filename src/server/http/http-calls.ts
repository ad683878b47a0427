import { Inject, Injectable, type Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerGate } from '../../security/auth/caller.gate.js';
import { CallLifetime } from '../../security/auth/call-lifetime.js';
import { ownerOf } from '../../security/auth/principal.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { HandledCall } from '../../platform/metrics/observation.js';
import type { Call, CallFacts } from '../../operation/call.js';
import { BindingOptions } from './binding.options.js';
import { askedExtensions } from './extension-headers.js';
import { describeCall, logCall } from './finished-call.js';
import { headerOf, headersOf } from './request-headers.js';
import { traceOf } from './request-trace.js';

/** Creates the `Call` of an HTTP request (the binding adds the version), and counts its outcome. */
@Injectable()
export class HttpCalls {
  constructor(
    private readonly gate: CallerGate,
    private readonly metrics: Metrics,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /** Counts a call that was answered, and says what it was in the log and in its span. */
  handled(call: HandledCall, facts: CallFacts, log: Logger): void {
    this.metrics.call(call);
    describeCall(call, facts);
    logCall(log, call, facts);
  }

  /**
   * The caller is gone when it disconnects before the response is complete, or its credential expires.
   * @throws AuthError, RateLimitedError
   */
  async of(request: FastifyRequest, reply: FastifyReply, facts: CallFacts): Promise<Omit<Call, 'version'>> {
    const presence = presenceOf(reply);
    const principal = await this.gate.admitHttp(request);
    presence.limitTo(principal);
    const lastEventId = headerOf(request, 'last-event-id');
    return {
      principal,
      owner: ownerOf(principal, this.options.ownership),
      address: this.gate.addressOf(request),
      extensions: askedExtensions((name) => headersOf(request, name)),
      ...{ trace: traceOf(request), facts },
      presence,
      tell: (headers) => {
        reply.headers(headers);
      },
      ...(lastEventId === undefined ? {} : { lastEventId }),
    };
  }
}

/** Made before anything is waited for: `close` comes once, and a caller may have gone in the hooks before the handler. */
function presenceOf({ raw }: FastifyReply): CallLifetime {
  const presence = new CallLifetime();
  const close = (): void => {
    if (raw.writableFinished) presence.release();
    else presence.leave();
  };
  if (raw.destroyed) close();
  else raw.on('close', close);
  return presence;
}
