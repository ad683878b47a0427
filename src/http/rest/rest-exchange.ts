import type { AnswerOf } from '../../operations/operation.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { OperationName, UnaryOperation } from '@parley/protocol/model/operations.js';
import type { CallName, RunningCall } from '../binding/call-recorder.js';
import { type EventCodec, OperationExchange, type Sides } from '../binding/exchange.js';
import type { Answer } from '../answer/answers.js';
import { a2aJsonHeaders, PLAIN_JSON_HEADERS } from '../answer/media-types.js';
import { headOf, type RequestHead, type TextAnswer } from '../errors.js';
import type { Query } from '@parley/protocol/binding/rest-query.js';
import type { RestDialect } from './rest-dialects.js';
import { restFault } from './rest-faults.js';
import type { RestPath } from './rest-path.js';

/** The part of a call in its head: the operation, and the version. */
export interface RestRequest {
  readonly dialect: RestDialect;
  readonly operation: OperationName;
  readonly path: RestPath;
  readonly query: Query;
}

/** An HTTP+JSON call, answered in its version. */
export class RestExchange extends OperationExchange {
  private readonly head: RequestHead;

  constructor(
    running: RunningCall,
    readonly asked: RestRequest,
    private readonly sides: Sides,
  ) {
    super(running);
    this.head = headOf(sides.request);
  }

  override get name(): CallName {
    return { binding: 'rest', operation: this.asked.operation, dialect: this.asked.dialect.version };
  }

  override answer(operation: UnaryOperation, result: AnswerOf<UnaryOperation>): Answer {
    const { dialect } = this.asked;
    const isV1 = dialect.version === '1.0';
    const { vary, ...media } = isV1 ? a2aJsonHeaders(this.head.accept) : PLAIN_JSON_HEADERS;
    // The operation may have set a Vary header too.
    const varies = [this.sides.reply.getHeader('vary'), vary].filter((names) => names !== undefined);
    const headers = { ...media, ...(varies.length === 0 ? {} : { vary: varies.join(', ') }) };
    if (isV1 && result.pieces !== undefined) return { headers, pieces: result.pieces };
    return { status: 200, headers, text: dialect.encode(operation, result) };
  }

  override events(): EventCodec {
    const { head, asked } = this;
    const { dialect } = asked;
    return {
      encode: (event) => [dialect.encodeEvent(event)],
      encodeFault: (error) => restFault(error, head).text,
    };
  }

  override fault(error: A2AError): TextAnswer {
    return restFault(error, this.head);
  }
}
