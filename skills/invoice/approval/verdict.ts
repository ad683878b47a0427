import type { SkillSender } from '@parley/sdk';
import type { Answer } from './interpret-answer.js';
import type { SentAnswer } from './sent-answers.js';

/** Outcome of the answers of a turn. */
export type Verdict =
  | {
      readonly kind: 'decided';
      readonly answer: Extract<Answer, { kind: 'approve' | 'reject' }>;
      readonly by: SkillSender;
    }
  | Extract<Answer, { kind: 'question' | 'unclear' }>;

const TOO_EARLY = 'Your message was sent before the question was asked, so it is no answer to it.';
const NOT_ALLOWED = 'You are not logged in as somebody who may approve payments.';
const NOT_ONE = 'The answers do not say one thing.';

/**
 * Weighs the answers. Only those of permitted deciders count, and they must all agree: an approval with a question or a
 * "wait" is asked for again.
 */
export function verdictOf(answers: readonly SentAnswer[], mayDecide: (sender: SkillSender) => boolean): Verdict {
  const counting = answers.flatMap(({ answer, sender }) =>
    sender !== undefined && mayDecide(sender) ? [{ answer, sender }] : [],
  );
  const [first] = counting;
  if (first === undefined) return withoutRight(answers);
  const open = counting.map(({ answer }) => answer).find(isOpen);
  if (open !== undefined) return open;
  if (isOpen(first.answer)) return first.answer;
  const isOne = counting.every(({ answer }) => answer.kind === first.answer.kind);
  return isOne ? { kind: 'decided', answer: first.answer, by: first.sender } : { kind: 'unclear', why: NOT_ONE };
}

/** Every caller of the task may ask; a decision by a person without the right to decide is answered with the reason. */
function withoutRight(answers: readonly SentAnswer[]): Verdict {
  if (answers.length === 0) return { kind: 'unclear', why: TOO_EARLY };
  return answers.map(({ answer }) => answer).find(isOpen) ?? { kind: 'unclear', why: NOT_ALLOWED };
}

function isOpen(answer: Answer): answer is Extract<Answer, { kind: 'question' | 'unclear' }> {
  return answer.kind === 'question' || answer.kind === 'unclear';
}
