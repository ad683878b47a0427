import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerGate } from '../../security/auth/caller.gate.js';
import { CallLifetime } from '../../security/auth/call-lifetime.js';
import { ownerOf } from '../../security/auth/principal.js';
import type { Call, CallFacts } from '../../operation/call.js';
import { BindingOptions } from './binding.options.js';
import { askedExtensions } from './extension-headers.js';
import { largeBodyIsStored } from './large-bodies.js';
import { headerOf, headersOf } from './request-headers.js';
import { traceOf } from './request-trace.js';

/** Makes the call behind an HTTP request; the binding adds the version. */
@Injectable()
export class HttpCalls {
  constructor(
    private readonly gate: CallerGate,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

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
      setHeaders: (headers) => {
        reply.headers(headers);
      },
      stored: () => {
        largeBodyIsStored(request.raw);
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
