import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, onRequestHookHandler, preParsingHookHandler } from 'fastify';
import type { preValidationHookHandler } from 'fastify';
import type { LargeAdmission, LargeMessages } from '../../operations/send/large-messages.js';
import type { Share } from '../../platform/traffic/budget.js';
import type { CallerGate } from '../../auth/caller.gate.js';
import type { Principal } from '../../auth/principal.js';
import { OPERATE_WEBHOOKS, SCOPE_OF } from '../../auth/scopes.js';
import { clientName, type TrafficBudgets } from '../../limits/quotas/traffic-budgets.js';

/** Maximum body of a caller without a scope for the path: enough to learn the scope that its call needs. */
const UNENTITLED_BYTES = 64 * 1024;
/** A body up to this size that arrived with its head needs no room. */
const BYTES_AT_HAND = 64 * 1024;
/** Reserved for a body of unknown length before its first chunk. */
const FIRST_BYTES = 4 * 1024;
/** Methods whose bodies are ignored. */
const WITHOUT_BODY = new Set(['GET', 'HEAD']);

const A2A_SCOPES = [...new Set(Object.values(SCOPE_OF)), OPERATE_WEBHOOKS];

/** The reservation of a request with a body. */
interface Held {
  readonly share: Share;
  /** Absent for a public path. */
  readonly caller?: Principal;
  readonly admission: LargeAdmission;
  bytes: number;
  leaveTurn?: () => void;
}

/** The dependencies of `LargeBodies`. */
export interface LargeBodyParts {
  readonly gate: Pick<CallerGate, 'addressOf' | 'admitHttp' | 'requireOneOf'>;
  readonly budgets: Pick<TrafficBudgets, 'bodies'>;
  readonly messages: Pick<LargeMessages, 'enter' | 'isLarge' | 'requireRoom'>;
  /** The scopes of which a caller needs one for a path. */
  readonly scopesAt: (path: string) => readonly string[];
  /** Whether a request is public. */
  readonly isOpen: (path: string, request: IncomingMessage) => boolean;
}

const underWay = new WeakMap<IncomingMessage, Held>();

/**
 * Bounds the bodies in progress, per client and in sum, for every path (I15). Its Fastify hooks run after
 * authentication.
 */
export class LargeBodies {
  constructor(private readonly parts: LargeBodyParts) {}

  /** Reserves the bytes of a body before it is read: without room the request waits unread. */
  readonly onRequest: onRequestHookHandler = (request, reply, done) => {
    const { headers, method = '' } = request.raw;
    const declared = headers['content-length'];
    const isStated = declared !== undefined && declared !== '0';
    if (WITHOUT_BODY.has(method) || (!isStated && headers['transfer-encoding'] === undefined)) done();
    else this.begin(request, reply, isStated ? Number(declared) : undefined).then(() => done(), done);
  };

  /** Counts a body of unknown length as it arrives. */
  readonly preParsing: preParsingHookHandler = (request, _reply, payload, done) => {
    const held = underWay.get(request.raw);
    if (held !== undefined && request.headers['content-length'] === undefined) {
      const count = (chunk: Buffer): void => {
        const refusal = this.grown(request, held, chunk.length);
        if (refusal === undefined) return;
        payload.off('data', count);
        // Without a listening parser the data is dropped, and the request has been answered.
        if (payload.listenerCount('error') > 0) payload.emit('error', refusal);
      };
      payload.on('data', count);
    }
    done(null, payload);
  };

  /** A large body that was read waits for its turn before it is parsed. */
  readonly preValidation: preValidationHookHandler = (request, reply, done) => {
    const held = underWay.get(request.raw);
    const bytes = Buffer.isBuffer(request.body) ? request.body.length : 0;
    if (held?.caller !== undefined && this.parts.messages.isLarge(bytes)) {
      this.enter(held.caller, held, { reply, bytes }).then(() => done(), done);
    } else done();
  };

  private async begin(request: FastifyRequest, reply: FastifyReply, declared?: number): Promise<void> {
    const { gate, budgets, messages } = this.parts;
    const caller = this.parts.isOpen(pathOf(request), request.raw) ? undefined : await gate.admitHttp(request);
    const bytes = declared ?? FIRST_BYTES;
    // The body is here completely, within the buffer of the connection: small calls need not wait for others' bodies.
    if (caller !== undefined && bytes <= BYTES_AT_HAND && request.raw.readableLength === declared) return;
    if (caller !== undefined && bytes > UNENTITLED_BYTES)
      gate.requireOneOf(request, caller, this.parts.scopesAt(pathOf(request)));
    const asksRoom = caller !== undefined && messages.isLarge(bytes);
    const admission = asksRoom ? await messages.requireRoom(caller, bytes) : 'fits';
    const client = caller === undefined ? gate.addressOf(request) : clientName(caller);
    const share = await budgets.bodies.take(client, bytes);
    const held: Held = { share, ...(caller === undefined ? {} : { caller }), admission, bytes };
    underWay.set(request.raw, held);
    if (reply.raw.destroyed) share.free();
    else
      reply.raw.once('close', () => {
        share.free();
      });
  }

  private grown(request: FastifyRequest, held: Held, more: number): Error | undefined {
    const before = held.bytes;
    held.bytes += more;
    try {
      if (held.caller !== undefined && before <= UNENTITLED_BYTES && held.bytes > UNENTITLED_BYTES)
        this.parts.gate.requireOneOf(request, held.caller, this.parts.scopesAt(pathOf(request)));
    } catch (error) {
      return error as Error;
    }
    return held.share.grow(more) ? undefined : this.parts.budgets.bodies.refusal();
  }

  private async enter(
    caller: Principal,
    held: Held,
    { reply, bytes }: { readonly reply: FastifyReply; readonly bytes: number },
  ): Promise<void> {
    const leave = await this.parts.messages.enter(caller, bytes, held.admission);
    if (reply.raw.destroyed) {
      leave();
      return;
    }
    held.leaveTurn = leave;
    reply.raw.once('close', leave);
  }
}

/** Whether the request has a large body in progress. */
export function hasLargeBody(request: IncomingMessage): boolean {
  return underWay.get(request)?.leaveTurn !== undefined;
}

/** The request's input is stored: the next large body may be parsed, although this call may wait for its task. */
export function largeBodyIsStored(request: IncomingMessage): void {
  const held = underWay.get(request);
  held?.leaveTurn?.();
  held?.share.free();
}

function pathOf({ raw: { url = '/' } }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** A feature with scopes of its own, and the path of its routes if it is none of the other parts. */
interface ScopedFeature {
  readonly scopes?: Readonly<Record<string, string>>;
  readonly basePath?: string;
}

/** The scopes of which a caller needs one for anything below a path. */
export function scopesByPath(features: readonly ScopedFeature[]): (path: string) => readonly string[] {
  const all = [...A2A_SCOPES, ...features.flatMap(({ scopes = {} }) => Object.keys(scopes))];
  return (path) => {
    if (path.startsWith('/console')) return all;
    const own = features.find(({ basePath }) => basePath !== undefined && path.startsWith(basePath));
    return own === undefined ? A2A_SCOPES : Object.keys(own.scopes ?? {});
  };
}
