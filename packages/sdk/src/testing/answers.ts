import { randomUUID } from 'node:crypto';
import type { Part } from '@parley/protocol/model/message.js';
import type { QuestionSpec, StoredAnswer } from '@parley/protocol/extension/questions.js';
import { answerValue } from '../skill/questions/answer-value.js';
import type { SkillSender } from '../skill/skill.js';
import { turnContent } from '../skill/content/turn-content.js';
import type { Answers } from './waiting-run.js';

/** A question as a test sees it. */
export interface AskedQuestion extends QuestionSpec {
  /** Its text parts, joined by line breaks. */
  readonly text: string;
}

/** Answers in the order of the questions, or a function of the question: a text, or the value of a data part. */
export type AnswerSource = readonly unknown[] | ((question: AskedQuestion) => unknown);

/** One answer after the other, for all questions in a tree. */
export function inOrder(source: AnswerSource): (question: AskedQuestion) => unknown {
  if (typeof source === 'function') return source;
  let next = 0;
  return () => source[next++];
}

/** @throws Error for an answer that does not fit: the service would ask again */
export function answersFrom(source: (question: AskedQuestion) => unknown, sender: SkillSender): Answers {
  const known = new Map<QuestionSpec, unknown>();
  return (question) => {
    if (!known.has(question)) {
      const text = turnContent([question]).text;
      known.set(question, source({ ...question, text }));
    }
    const said = known.get(question);
    return said === undefined ? undefined : stored(question, said, sender);
  };
}

function stored(question: QuestionSpec, said: unknown, sender: SkillSender): StoredAnswer {
  const parts: readonly Part[] = [typeof said === 'string' ? { text: said } : { data: said }];
  const read = answerValue({ parts }, question.schema);
  if ('misfits' in read) {
    const faults = read.misfits.map(({ field, description }) => `${field} ${description}`);
    throw new Error(`The answer does not fit its question: ${faults.join('; ')}`);
  }
  return { messageId: randomUUID(), parts, value: read.value, sender, at: 0 };
}
