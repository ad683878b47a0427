import { once } from 'node:events';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, onSendHookHandler } from 'fastify';
import { AuditLog } from '../../audit/audit.log.js';
import { Lifecycle } from '../health/lifecycle.js';
import type { TextAnswer } from '../errors.js';
import { REQUEST_ID_HEADER } from '../request/request-id.js';
import { DATA_HEADERS, PAGE_HEADERS } from './security-headers.js';

/** A large stored text as the answer of a successful call. */
export interface PiecesAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Buffer[];
}

export type Answer = TextAnswer | PiecesAnswer;

/** The security headers in Node's fastest form: alternating names and values. */
const SECURITY = Object.entries(DATA_HEADERS).flat();

/**
 * Writes the answers of HTTP, each with the common headers: request id, security headers, and `Connection: close`
 * during a drain (RFC 9112 §9.6). A TCP balancer does not move open connections: otherwise a kept-alive connection
 * would break during the caller's next call.
 */
@Injectable()
export class Answers {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Answers a call: writes head and body at once to Node's response, bypassing Fastify's hooks and serialisers. Headers
   * set on the reply before, such as rates, come first.
   */
  send(
    reply: FastifyReply,
    { status, headers, text }: Omit<TextAnswer, 'text'> & { readonly text: string | Buffer },
  ): void {
    const head = this.headOf(reply, headers, Buffer.byteLength(text));
    reply.raw.writeHead(status, head);
    reply.raw.end(text);
  }

  /** The same for a call whose audit line is held until the end of its turn. Rejects when that cannot be written. */
  async sendAfterLines(reply: FastifyReply, answer: Answer): Promise<void> {
    if ('pieces' in answer) {
      await this.audit.afterLines(() => undefined);
      await this.sendPieces(reply, answer);
    } else {
      await this.audit.afterLines(() => {
        this.send(reply, answer);
      });
    }
  }

  /** Chunk by chunk at the reader's pace: without copies, and without blocking others. */
  private async sendPieces(reply: FastifyReply, { headers, pieces }: PiecesAnswer): Promise<void> {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const { raw } = reply;
    raw.writeHead(200, this.headOf(reply, headers, bytes));
    for (const piece of pieces) {
      if (raw.destroyed) return;
      if (!raw.write(piece)) await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
    }
    raw.end();
  }

  /** Alternating names and values. Takes the response from Fastify. */
  private headOf(reply: FastifyReply, headers: Readonly<Record<string, string>>, bytes: number): string[] {
    const earlier = reply.getHeaders();
    const head: string[] = [];
    for (const name in earlier) if (!(name in headers)) head.push(name, String(earlier[name]));
    for (const name in headers) head.push(name, headers[name] ?? '');
    head.push(REQUEST_ID_HEADER, reply.request.id, ...SECURITY);
    if (this.lifecycle.stage === 'draining') head.push('connection', 'close');
    head.push('content-length', String(bytes));
    reply.hijack();
    return head;
  }

  /**
   * Headers of a stream that takes over the connection, as alternating names and values, after those set on its reply.
   */
  headersOfStream(reply: FastifyReply): readonly string[] {
    return [...headersSetOn(reply), REQUEST_ID_HEADER, reply.request.id, ...SECURITY];
  }
}

/** Alternating names and values. */
function headersSetOn(reply: FastifyReply): readonly string[] {
  const earlier = reply.getHeaders();
  const head: string[] = [];
  for (const name in earlier) head.push(name, String(earlier[name]));
  return head;
}

/** A Fastify `onSend` hook with the same headers for Fastify's own answers: cards, probes, and unknown paths. */
export function completeAnswers(lifecycle: Pick<Lifecycle, 'stage'>): onSendHookHandler {
  return (request, reply, _payload, done) => {
    // A page has a policy of its own: the default one lets nothing load.
    const own = reply.getHeader('content-security-policy');
    void reply.header(REQUEST_ID_HEADER, request.id).headers(PAGE_HEADERS);
    if (own !== undefined) void reply.header('content-security-policy', own);
    if (lifecycle.stage === 'draining') void reply.header('connection', 'close');
    done();
  };
}
