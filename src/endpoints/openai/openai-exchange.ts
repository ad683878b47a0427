import type { A2AError } from '@parley/protocol/model/errors.js';
import type { CallName } from '../../http/binding/call-recorder.js';
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

  override get name(): CallName {
    const operation = this.read?.body === undefined ? 'GetExtendedAgentCard' : 'SendMessage';
    return { binding: 'rest', operation, dialect: '1.0' };
  }

  override fault(error: A2AError): TextAnswer {
    return openAiFault(error, this.isSent && !isBeforeTask(error));
  }
}

/** Whether an error says that there is no task: a repetition is harmless, and may be right. */
function isBeforeTask({ kind }: A2AError): boolean {
  return kind === 'RateLimited' || kind === 'Unavailable';
}
