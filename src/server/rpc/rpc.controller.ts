import { Controller, HttpCode, Logger, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperationExecutor, type PermittedCall } from '../../operation/operation-executor.js';
import type { StreamingOperation } from '@parley/protocol/model/operations.js';
import { rpcResultText } from '@parley/protocol/binding/rpc-envelope.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { Answers } from '../http/answer/answers.js';
import { CallRunner } from '../binding/call-runner.js';
import { RPC_PATHS } from '../http/fault-text.js';
import { PLAIN_JSON_HEADERS } from '../http/answer/media-types.js';
import { type StreamOutcome, StreamWriter } from '../sse/stream-writer.js';
import { RpcFaults } from './rpc-faults.js';
import { nameOf, type ReadExchange, readExchange, takeExchange } from './rpc-exchange.js';
import { RpcGuard } from './rpc.guard.js';

/**
 * A2A over JSON-RPC 2.0 (A2A 1.0 §9, and all versions before). The guard has read the call and asked for its right; here
 * the operation runs, and the response is written in the dialect of the call.
 */
@Controller()
@UseGuards(CallerGuard, RpcGuard)
export class RpcController {
  private readonly log = new Logger(RpcController.name);

  constructor(
    private readonly operations: OperationExecutor,
    private readonly streams: StreamWriter,
    private readonly runner: CallRunner,
    private readonly errors: RpcFaults,
    private readonly answers: Answers,
  ) {}

  @Post(RPC_PATHS)
  @HttpCode(200)
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = readExchange(request);
    const { permitted, codec, id, wire, running } = exchange;
    const name = nameOf(exchange);
    if (permitted.isStream()) {
      const { ended } = await this.stream(permitted, exchange, reply);
      takeExchange(request);
      const refuse = (error: unknown): ReturnType<RpcFaults['answer']> =>
        this.errors.answer(error, { codec, id }, reply);
      void this.runner.follow(running, name, { ended, refuse }, this.log);
    } else {
      const result = await this.operations.run(permitted);
      if (codec.version === '1.0' && result.pieces !== undefined) {
        const [before = '', after = ''] = rpcResultText(id, '\n').split('\n');
        const { pieces } = result;
        await this.answers.sendPieces(reply, PLAIN_JSON_HEADERS, [Buffer.from(before), ...pieces, Buffer.from(after)]);
        this.runner.end(running, name, 'ok', this.log);
        return;
      }
      const text =
        codec.encodeAnswer?.(id, result, wire) ?? rpcResultText(id, codec.encodeResult(permitted.name, result, wire));
      await this.answers.sendAfterLines(reply, 200, PLAIN_JSON_HEADERS, text);
      this.runner.end(running, name, 'ok', this.log);
    }
  }

  /** Begins the stream that answers the call; resolves with the promise of its end. */
  private async stream(
    permitted: PermittedCall<StreamingOperation>,
    { codec, id, wire }: ReadExchange,
    reply: FastifyReply,
  ): Promise<{ readonly ended: Promise<StreamOutcome> }> {
    const events = await this.operations.run(permitted);
    const encodeEvent = codec.streamEncoder(permitted.name, wire);
    const encode: typeof encodeEvent = (event) => encodeEvent(event).map((text) => rpcResultText(id, text));
    const headers = this.answers.headersOfStream(reply);
    reply.hijack();
    return { ended: this.streams.write(reply.raw, { events, headers, encode }) };
  }
}
