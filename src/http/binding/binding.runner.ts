import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CallFacts } from '../../operations/call.js';
import { OperationExecutor, type PermittedCall } from '../../operations/executor/operation-executor.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { StreamingOperation, UnaryOperation } from '@parley/protocol/model/operations.js';
import { Answers } from '../answer/answers.js';
import { toClientError } from '../errors.js';
import type { StreamOutcome } from '../sse/open-stream.js';
import { StreamWriter, type WrittenStream } from '../sse/stream-writer.js';
import { CallRecorder, type RunningCall } from './call-recorder.js';
import type { Exchange, OperationExchange, Sides } from './exchange.js';

/** A stream that answers a call on its own, from outside of its binding. */
interface FollowedStream {
  readonly ended: Promise<NonNullable<CallFacts['stream']>>;
  /** Ends the stream with an error. */
  readonly fail: (error: A2AError) => void;
}

/** A stream as the answer of a call. */
interface AnsweredStream<E> extends Pick<WrittenStream<E>, 'events' | 'encode'> {
  /** The text at the end of a stream that failed. Undefined: none. */
  readonly lastFrame: (error: A2AError) => string | undefined;
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
    if (permitted.isStream()) return this.runStream(permitted, exchange, sides);
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

  /** Answers with events as they come, and records the call at their end. Resolves with how they ended. */
  stream<E>(exchange: Exchange, { request, reply }: Sides, stream: AnsweredStream<E>): Promise<StreamOutcome> {
    const headers = this.answers.headersOfStream(reply);
    reply.hijack();
    request.exchange = undefined;
    const { raw } = reply;
    const ended = this.streams.write(raw, { events: stream.events, headers, encode: stream.encode });
    this.follow(exchange, { ended, fail: (error) => raw.end(stream.lastFrame(error)) });
    return ended;
  }

  private async runStream(
    permitted: PermittedCall<StreamingOperation>,
    exchange: Exchange & Pick<OperationExchange, 'events'>,
    sides: Sides,
  ): Promise<void> {
    const events = await this.operations.run(permitted);
    const { encode, encodeFault } = exchange.events(permitted.name);
    const lastFrame = (error: A2AError): string => `data: ${encodeFault(error)}\n\n`;
    void this.stream(exchange, sides, { events, encode, lastFrame });
  }
}
