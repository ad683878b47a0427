import { intentAnswerOf } from '../../operations/intents/intent-answer.js';
import { hasRequestId } from '../../operations/intents/intent.codec.js';
import type { Intent } from '../../operations/intents/intents.js';
import { runAnswerOf } from './run-answer.js';
import type { AnswerOf } from '../../operations/operation.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { CallName } from '../../http/binding/call-recorder.js';
import { OperationExchange } from '../../http/binding/exchange.js';
import type { Answer } from '../../http/answer/answers.js';
import { PLAIN_JSON_HEADERS } from '../../http/answer/media-types.js';
import type { TextAnswer } from '../../http/errors.js';
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
