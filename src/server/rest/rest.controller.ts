import { All, Controller, Logger, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperationExecutor, type PermittedCall } from '../../operation/operation-executor.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json } from '@parley/protocol/model/json.js';
import type { StreamingOperation, UnaryOperation } from '@parley/protocol/model/operations.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { Answers } from '../http/answer/answers.js';
import { CallRunner } from '../binding/call-runner.js';
import { a2aJsonHeaders, PLAIN_JSON_HEADERS } from '../http/answer/media-types.js';
import { headerOf } from '../http/request/request-headers.js';
import { type StreamOutcome, StreamWriter } from '../sse/stream-writer.js';
import type { RestDialect } from './rest-dialects.js';
import { RestFaults } from './rest-faults.js';
import { nameOf, permittedExchange, takeExchange } from './rest-exchange.js';
import { RestGuard } from './rest.guard.js';

/** The two sides of a call. */
interface Sides {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * A2A over HTTP+JSON (A2A 1.0 §11, and 0.3's under `/v1`). One route takes every path that no other controller has: the
 * paths hold custom verbs and ids of any kind, which Fastify's router cannot tell apart. The guard has read the call and
 * asked for its right.
 */
@Controller()
@UseGuards(CallerGuard, RestGuard)
export class RestController {
  private readonly log = new Logger(RestController.name);

  constructor(
    private readonly operations: OperationExecutor,
    private readonly streams: StreamWriter,
    private readonly runner: CallRunner,
    private readonly errors: RestFaults,
    private readonly answers: Answers,
  ) {}

  @All('*')
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = permittedExchange(request);
    const { permitted, dialect, running } = exchange;
    const name = nameOf(exchange);
    if (permitted.isStream()) {
      const { ended } = await this.stream(permitted, dialect, reply);
      takeExchange(request);
      const refuse = (error: unknown): ReturnType<RestFaults['answer']> => this.errors.answer(error, request, reply);
      void this.runner.follow(running, name, { ended, refuse }, this.log);
    } else {
      await this.answer(permitted, dialect, { request, reply });
      this.runner.end(running, name, 'ok', this.log);
    }
  }

  private async answer(
    permitted: PermittedCall<UnaryOperation>,
    dialect: RestDialect,
    { request, reply }: Sides,
  ): Promise<void> {
    const result = await this.operations.run(permitted);
    const { vary, ...media } =
      dialect.version === '1.0' ? a2aJsonHeaders(headerOf(request, 'accept')) : PLAIN_JSON_HEADERS;
    // The operation may have set a Vary header too.
    const varies = [reply.getHeader('vary'), vary].filter((names) => names !== undefined);
    const varyHeader = varies.length === 0 ? {} : { vary: varies.join(', ') };
    const headers = { ...media, ...varyHeader };
    if (dialect.version === '1.0' && result.pieces !== undefined)
      await this.answers.sendPieces(reply, headers, result.pieces);
    else await this.answers.sendAfterLines(reply, 200, headers, dialect.encode(permitted.name, result));
  }

  /** Begins the stream that answers the call; resolves with the promise of its end. */
  private async stream(
    permitted: PermittedCall<StreamingOperation>,
    dialect: RestDialect,
    reply: FastifyReply,
  ): Promise<{ readonly ended: Promise<StreamOutcome> }> {
    const events = await this.operations.run(permitted);
    const headers = this.answers.headersOfStream(reply);
    reply.hijack();
    const encode = (event: Json<StreamResponse>): readonly string[] => [dialect.encodeEvent(event)];
    return { ended: this.streams.write(reply.raw, { events, headers, encode }) };
  }
}
