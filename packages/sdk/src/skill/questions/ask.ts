import type { Message } from '@parley/protocol/model/message.js';
import type { QuestionSpec, StoredAnswer } from '@parley/protocol/extension/questions.js';
import { jsonSchemaOf } from '../contract/json-schema.js';
import { formOf } from '../contract/rules/combined-schema.js';
import { SkillFailure, SkillRejection } from '../skill-failure.js';
import { assertOutsideSteps } from '../step-scope.js';
import { turnContent } from '../content/turn-content.js';
import { checkSchema } from './answer-schema.js';
import type { Answer, Ask, Question } from './question.js';

/** Bytes of a question, as JSON, and of its schema. */
const MAX_QUESTION_BYTES = 32 * 1024;
/** Persons that must give the same answer. */
const MAX_PERSONS = 5;

/** No answer came in time. Uncaught, it fails the task with its text. */
export class QuestionTimedOut extends SkillFailure {
  override readonly name = 'QuestionTimedOut';
}

/** The skill has taken the question back. */
export const WITHDRAWN = 'withdrawn';

/** Answer to a question; undefined: none came in time. @param until takes it back when it is fulfilled */
export type QuestionMaker = (
  spec: QuestionSpec,
  until?: Promise<unknown>,
) => Promise<StoredAnswer | typeof WITHDRAWN | undefined>;

/** @param make asks as the run of the skill can */
export function skillAsk(make: QuestionMaker): Ask {
  return async <Value>(asked: Question | string): Promise<Answer<Value>> => {
    assertOutsideSteps('ask()');
    const question = typeof asked === 'string' ? { question: asked } : asked;
    const spec = specOf(question);
    const until = question.until === undefined ? undefined : Promise.resolve(question.until);
    // It may fail after an answer has come, when it is no longer awaited.
    until?.catch(() => undefined);
    const answer = await make(spec, until);
    if (answer === WITHDRAWN) {
      return { value: (await until) as Value, isTimeout: false, isWithdrawn: true, ...NO_CONTENT };
    }
    // The schema of the question has checked it.
    if (answer !== undefined) return given(answer) as Answer<Value>;
    const { onTimeout = 'fail' } = question;
    const text = `No answer came in time to "${textOf(spec)}"`;
    if (onTimeout === 'reject') throw new SkillRejection(text);
    if (onTimeout === 'fail') throw new QuestionTimedOut(text);
    return { value: onTimeout.value as Value, isTimeout: true, ...NO_CONTENT };
  };
}

const NO_CONTENT = { text: '', data: [], files: [] } as const;

/** @throws RangeError, TypeError for a question that no caller could answer */
function specOf({ question, schema, approvers, timeoutMs, auth = false }: Question): QuestionSpec {
  const parts = typeof question === 'string' ? [{ text: question }] : question;
  const { count = 1 } = approvers ?? {};
  if (!Number.isInteger(count) || count < 1 || count > MAX_PERSONS) {
    throw new RangeError(`1 to ${String(MAX_PERSONS)} persons answer a question, not ${String(count)}`);
  }
  const asJson = typeof schema === 'function' ? formOf(jsonSchemaOf(schema)) : schema;
  if (asJson !== undefined) checkSchema(asJson);
  const spec: QuestionSpec = {
    parts,
    state: auth ? 'TASK_STATE_AUTH_REQUIRED' : 'TASK_STATE_INPUT_REQUIRED',
    ...(asJson === undefined ? {} : { schema: asJson }),
    ...(approvers === undefined ? {} : { approvers }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  if (parts.length === 0) throw new RangeError('A question has a text or parts');
  if (Buffer.byteLength(JSON.stringify(spec)) > MAX_QUESTION_BYTES) {
    throw new RangeError(`A question with its schema has at most ${String(MAX_QUESTION_BYTES / 1024)} KiB`);
  }
  return spec;
}

function given({ messageId, parts, value, sender, at }: StoredAnswer): Answer {
  const message: Message = { messageId, role: 'ROLE_USER', parts };
  return {
    value,
    isTimeout: false,
    ...turnContent([message]),
    ...(sender === undefined ? {} : { sender }),
    answeredAt: at,
  };
}

/** The text of a question, shortened. */
function textOf({ parts }: QuestionSpec): string {
  const { text } = turnContent([{ parts }]);
  return text.length > 200 ? `${text.slice(0, 200)} …` : text;
}
