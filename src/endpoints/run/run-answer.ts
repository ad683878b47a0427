import { A2AError } from '@parley/protocol/model/errors.js';
import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import type { IntentAnswer } from '../../operations/intents/intent-answer.js';
import { faultOf, faultOfAnswer } from '../../operations/intents/intent-fault.js';

/** An answer of `POST /run`. */
export interface RunAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The header with the id of the task behind an answer, since the result is the whole body. */
const TASK_ID_HEADER = 'parley-task-id';

/**
 * The answer of a completed call: 200 with the result, 202 with a running task, 409 with the question, 422 for a
 * rejected or canceled task, 500 for a failed one.
 */
export function runAnswerOf(answer: IntentAnswer, isRepeatable: boolean): RunAnswer {
  const headers = answer.taskId === undefined ? {} : { [TASK_ID_HEADER]: answer.taskId };
  if (answer.kind === 'done') return { status: 200, headers, text: JSON.stringify(answer.result) };
  const { message, data } = faultOfAnswer(answer, isRepeatable);
  const location = `/tasks/${answer.taskId}`;
  if (answer.kind === 'running') {
    const { taskId, status } = answer;
    return { status: 202, headers: { ...headers, location }, text: JSON.stringify({ taskId, status }) };
  }
  const code = answer.kind === 'asks' ? 409 : answer.status === 'TASK_STATE_FAILED' ? 500 : 422;
  return { status: code, headers: { ...headers, location }, text: JSON.stringify({ error: { code, message, data } }) };
}

/** The answer of a refused call, with the HTTP status of its kind as its code (seed 2 § 7.3). */
export function runFaultOf(error: A2AError, given: unknown, status = REST_HTTP_STATUS[error.kind]): RunAnswer {
  // The same request_id with different content.
  const isConflict = error.violations.some(({ field }) => field === 'message.messageId');
  const code = isConflict ? 409 : status;
  return { status: code, headers: {}, text: JSON.stringify({ error: { code, ...faultOf(error, given, 'run') } }) };
}
