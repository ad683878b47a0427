import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerGate } from '../../auth/caller.gate.js';
import { ownerOf, type Principal } from '../../auth/principal.js';
import type { Call, CallFacts } from '../../operations/call.js';
import type { LegacyTerms } from '@parley/protocol/model/legacy.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import { AnswerRooms, makingOf } from '../answer/answer-rooms.js';
import { BindingOptions } from './binding.options.js';
import { askedExtensions } from '../request/extension-headers.js';
import { hasLargeBody, largeBodyIsStored } from '../request/large-bodies.js';
import { headerOf, headersOf } from '../request/request-headers.js';
import { traceOf } from '../request/request-trace.js';

/** The facts that a binding adds to a call. */
export interface ReadFacts {
  readonly version: ProtocolVersion;
  readonly facts: CallFacts;
  readonly legacy?: LegacyTerms | undefined;
}

/** Creates the call behind an HTTP request of an authenticated caller. */
@Injectable()
export class HttpCalls {
  constructor(
    private readonly gate: CallerGate,
    private readonly rooms: AnswerRooms,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /** Whether calls of 1.0 must state their version (`BindingOptions`). */
  get strictVersion(): boolean {
    return this.options.strictVersion;
  }

  /** The owner name of the caller's tasks. */
  ownerOf(principal: Principal): string {
    return ownerOf(principal, this.options.ownership);
  }

  /** The caller is gone when it disconnects before the response is complete, or its credential expires. */
  of(request: FastifyRequest, reply: FastifyReply, principal: Principal, read: ReadFacts): Call {
    const presence = this.gate.lifetimeOf(reply.raw);
    presence.limitTo(principal);
    return {
      principal,
      owner: this.ownerOf(principal),
      address: this.gate.addressOf(request),
      version: read.version,
      extensions: askedExtensions((name) => headersOf(request, name)),
      room: this.rooms.of(principal, reply.raw, makingOf(read.version)),
      trace: traceOf(request),
      facts: read.facts,
      presence,
      answersAfterLines: true,
      isLarge: hasLargeBody(request.raw),
      setHeaders: (headers) => {
        for (const name in headers) void reply.header(name, headers[name]);
      },
      stored: () => {
        largeBodyIsStored(request.raw);
      },
      legacy: read.legacy,
      lastEventId: headerOf(request, 'last-event-id'),
    };
  }
}
