import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CallFacts } from '../../operations/call.js';
import { OperationExecutor, type PermittedCall } from '../../operations/executor/operation-executor.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { StreamingOperation, UnaryOperation } from '@parley/protocol/model/operations.js';
import { Answers } from '../answer/answers.js';
import { toClientError } from '../errors.js';
import { StreamWriter } from '../sse/stream-writer.js';
import { CallRecorder, type RunningCall } from './call-recorder.js';
import type { Exchange, OperationExchange, Sides } from './exchange.js';

/** A stream that answers a call on its own, from outside of its binding. */
interface FollowedStream {
  readonly ended: Promise<NonNullable<CallFacts['stream']>>;
  /** Ends the stream with an error. */
  readonly fail: (error: A2AError) => void;
}

/** Runs the calls of every binding over HTTP from their guard to their answer, and records each once. */
@Injectable()
export class BindingRunner {
  private readonly log = new Logger(BindingRunner.name);

  constructor(
    private readonly operations: OperationExecutor,
    private readonly recorder: CallRecorder,
    private readonly answers: Answers,
    private readonly streams: StreamWriter,
  ) {}

  begin({ id }: Pick<FastifyRequest, 'id'>): RunningCall {
    return this.recorder.begin(id);
  }

  /** Runs the operation of a permitted call, and answers with its result or its events. */
  async run<O extends UnaryOperation>(exchange: OperationExchange<O>, sides: Sides): Promise<void> {
    const { permitted } = exchange;
    if (permitted === undefined) throw new Error('The route has no guard that permits its calls');
    if (permitted.isStream()) return this.stream(permitted, exchange, sides);
    const result = await this.operations.run(permitted);
    await this.answers.sendAfterLines(sides.reply, exchange.answer(permitted.name, result));
    this.end(exchange);
  }

  /** Records an answered call. */
  end({ running, name }: Exchange): void {
    this.recorder.end(running, name, 'ok');
  }

  /** Answers and records a failed call. */
  fail(exchange: Exchange, thrown: unknown, { request, reply }: Sides): void {
    request.exchange = undefined;
    const error = toClientError(thrown, this.log);
    const answer = exchange.fault(error);
    const { running, name, begun } = exchange;
    if (begun === undefined) this.answers.send(reply, answer);
    else void begun.end(answer);
    this.recorder.end(running, name, error.kind);
  }

  /** Records a stream at its end, retaining only the data for that: ten thousand may be open at a time. */
  follow({ running, name }: Exchange, { ended, fail }: FollowedStream): void {
    ended.then(
      (outcome) => {
        running.facts.stream = outcome;
        this.recorder.end(running, name, 'ok');
      },
      (thrown: unknown) => {
        const error = toClientError(thrown, this.log);
        fail(error);
        this.recorder.end(running, name, error.kind);
      },
    );
  }

  private async stream(
    permitted: PermittedCall<StreamingOperation>,
    exchange: Exchange & Pick<OperationExchange, 'events'>,
    { request, reply }: Sides,
  ): Promise<void> {
    const events = await this.operations.run(permitted);
    const { encode, encodeFault } = exchange.events(permitted.name);
    const headers = this.answers.headersOfStream(reply);
    reply.hijack();
    request.exchange = undefined;
    const { raw } = reply;
    this.follow(exchange, {
      ended: this.streams.write(raw, { events, headers, encode }),
      fail: (error) => raw.end(`data: ${encodeFault(error)}\n\n`),
    });
  }
}
