import type { A2AError } from '@parley/protocol/model/errors.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { CallName, RunningCall } from '../../http/binding/call-recorder.js';
import { Exchange } from '../../http/binding/exchange.js';
import type { TextAnswer } from '../../http/errors.js';
import type { Call } from '../../operations/call.js';
import { openAiFault } from './openai-faults.js';

/** What the guard has read of a request. */
export interface ReadRequest {
  readonly call: Call;
  /** Undefined for a request without one. */
  readonly body: unknown;
}

/** A request of a client of OpenAI's API. */
export class OpenAiExchange extends Exchange {
  /** Set by the guard. */
  read: ReadRequest | undefined = undefined;
  /** Whether the message of the request was handed to its operation. */
  isSent = false;

  constructor(
    running: RunningCall,
    private readonly operation: OperationName,
  ) {
    super(running);
  }

  override get name(): CallName {
    return { binding: 'rest', operation: this.operation, dialect: '1.0' };
  }

  /** The request as the guard has read it. */
  get request(): ReadRequest {
    if (this.read === undefined) throw new Error('The route has no guard that reads its requests');
    return this.read;
  }

  override fault(error: A2AError): TextAnswer {
    return openAiFault(error, this.isSent && !isBeforeTask(error));
  }
}

/** Whether an error says that there is no task: a repetition is harmless, and may be right. */
function isBeforeTask({ kind }: A2AError): boolean {
  return kind === 'RateLimited' || kind === 'Unavailable';
}
