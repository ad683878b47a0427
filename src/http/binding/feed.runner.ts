import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CallerGate } from '../../auth/caller.gate.js';
import type { Principal } from '../../auth/principal.js';
import { Answers } from '../answer/answers.js';
import { toClientError } from '../errors.js';
import { StreamWriter, type WrittenStream } from '../sse/stream-writer.js';

/** A feed that does not end by itself, as its reader gets it. */
export interface Feed<E> extends Pick<WrittenStream<E>, 'events' | 'encode'> {
  /** Ends the feed. May be called again. */
  readonly leave: () => void;
  /** Called once, when the feed has ended. */
  readonly ended?: () => void;
}

/** Answers with feeds: Server-Sent Events until the reader goes, its credential ends or the process leaves. */
@Injectable()
export class FeedRunner {
  private readonly log = new Logger(FeedRunner.name);

  constructor(
    private readonly gate: CallerGate,
    private readonly answers: Answers,
    private readonly streams: StreamWriter,
  ) {}

  run<E>(reply: FastifyReply, caller: Principal, { events, encode, leave, ended }: Feed<E>): void {
    const stay = this.streams.whenLeaving(leave);
    const presence = this.gate.lifetimeOf(reply.raw);
    presence.limitTo(caller);
    presence.whenGone(leave);
    const headers = this.answers.headersOfStream(reply);
    reply.hijack();
    this.streams
      .write(reply.raw, { events, headers, encode })
      .catch((error: unknown) => {
        // The reader sees a cut stream, and opens the feed again.
        toClientError(error, this.log);
        reply.raw.destroy();
      })
      .finally(() => {
        stay();
        leave();
        ended?.();
      });
  }
}
