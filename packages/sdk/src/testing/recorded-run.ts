import type { QuestionSpec, StoredAnswer } from '@parley/protocol/extension/questions.js';
import type { CallOutcome, CallSpec } from '../skill/calls/call.js';

/** Answers that a recorded run got from others. */
export interface RecordedRun {
  /** The answer to a question; undefined: none came in time. */
  readonly answer: (question: QuestionSpec) => StoredAnswer | undefined;
  /** Outcome of a call of another skill; undefined: unknown. */
  readonly outcome: (call: CallSpec) => CallOutcome | undefined;
}

/** A run that begins anew asks the same question again. */
export function onceEach(answer: RecordedRun['answer']): RecordedRun['answer'] {
  const known = new Map<QuestionSpec, StoredAnswer | undefined>();
  return (question) => {
    if (!known.has(question)) known.set(question, answer(question));
    return known.get(question);
  };
}
