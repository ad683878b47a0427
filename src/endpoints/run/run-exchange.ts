import { intentAnswerOf } from '../../intent/intent-answer.js';
import { hasRequestId } from '../../intent/intent.codec.js';
import type { Intent } from '../../intent/intents.js';
import { runAnswerOf } from './run-answer.js';
import type { AnswerOf } from '../../operation/operation.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { CallName } from '../../server/binding/call-recorder.js';
import { OperationExchange } from '../../server/binding/exchange.js';
import type { Answer } from '../../server/http/answer/answers.js';
import { PLAIN_JSON_HEADERS } from '../../server/http/answer/media-types.js';
import type { TextAnswer } from '../../server/http/errors.js';
import { runFault } from './run-faults.js';

/**
 * A call of `POST /run`: an intent that runs as SendMessage, and is answered with its result, its task or its question.
 */
export class RunExchange extends OperationExchange<'SendMessage'> {
  /** The parsed body, for the texts of its faults. */
  body: unknown = undefined;
  intent: Intent | undefined = undefined;

  override get name(): CallName {
    return { binding: 'rest', operation: 'SendMessage', dialect: '1.0' };
  }

  override answer(_operation: 'SendMessage', { value }: AnswerOf<'SendMessage'>): Answer {
    const hasOutput = this.intent?.hasOutput === true;
    const { status, headers, text } = runAnswerOf(intentAnswerOf(value, hasOutput), hasRequestId(this.body));
    return { status, headers: { ...PLAIN_JSON_HEADERS, ...headers }, text };
  }

  override fault(error: A2AError): TextAnswer {
    return runFault(error, this.body);
  }
}
