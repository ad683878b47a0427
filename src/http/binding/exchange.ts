import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerOf } from '../../operations/operation.js';
import type { PermittedCall } from '../../operations/executor/operation-executor.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json } from '@parley/protocol/model/json.js';
import type { StreamingOperation, UnaryOperation } from '@parley/protocol/model/operations.js';
import type { Answer } from '../answer/answers.js';
import type { TextAnswer } from '../errors.js';
import type { CallName, RunningCall } from './call-recorder.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of a binding; undefined before, and on routes without a binding. */
    exchange: Exchange | undefined;
  }
}

/** The two sides of a call over HTTP. */
export interface Sides {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A call of a binding between its guard and its answer. Each binding adds its parsed input and its codec. */
export abstract class Exchange {
  constructor(readonly running: RunningCall) {}

  /** The labels by which the call is counted, as far as it has been read. */
  abstract get name(): CallName;

  /**
   * The answer to a fault, in the dialect of the caller and with the id of the call, as far as these have been read.
   */
  abstract fault(error: A2AError): TextAnswer;

  /** The answer, if it began as a stream before the operation was done. */
  get begun(): { end(answer: TextAnswer): Promise<void> } | undefined {
    return undefined;
  }
}

/** Encodes the events of a stream. Keeps nothing of the request: the stream may stay open for hours. */
export interface EventCodec {
  readonly encode: (event: Json<StreamResponse>) => readonly string[];
  /** The last event of a failed stream. */
  readonly encodeFault: (error: A2AError) => string;
}

/** A call of one operation. */
export abstract class OperationExchange<O extends UnaryOperation = UnaryOperation> extends Exchange {
  /** Set by the guard. */
  permitted: PermittedCall<O> | PermittedCall<StreamingOperation> | undefined = undefined;

  abstract answer(operation: O, result: AnswerOf<O>): Answer;

  /** The codec of a binding with streams. */
  events(operation: StreamingOperation): EventCodec {
    throw new Error(`The binding has no streams for ${operation}`);
  }
}

/** The exchange of a request that has passed the guard of its binding. */
export function exchangeOf<E extends Exchange>(
  { exchange }: Pick<FastifyRequest, 'exchange'>,
  type: abstract new (...args: never[]) => E,
): E {
  if (!(exchange instanceof type)) throw new Error('The route has no guard that reads its calls');
  return exchange;
}
