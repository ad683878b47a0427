import type { SkillContext } from 'parley/skill';
import { DECISIONS } from '../dto/approval-answer.dto.js';
import { folded } from '../text/folded.js';
import { APPROVALS, FILLERS, QUESTIONS, REJECTIONS } from './answer-words.js';

/** What an answer to an approval request means. */
export type Answer =
  | { readonly kind: 'approve' | 'reject'; readonly comment?: string }
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'unclear'; readonly why: string };

/** Longest text that is taken as a comment. */
const MAX_COMMENT = 2000;

const ONE_OF = (words: readonly string[]): string => `(?:${words.join('|')})`;
const WORDS = new RegExp(String.raw`(?<![\p{L}\p{N}])${ONE_OF([...APPROVALS, ...FILLERS])}(?![\p{L}\p{N}])`, 'gu');
const APPROVAL = new RegExp(String.raw`(?<![\p{L}\p{N}])${ONE_OF(APPROVALS)}(?![\p{L}\p{N}])`, 'u');
const REJECTION = new RegExp(String.raw`^${ONE_OF(REJECTIONS)}(?![\p{L}\p{N}])`, 'u');

/** A longer text is no answer to a question of yes or no. */
const MAX_ANSWER = 10_000;

const NOT_UNDERSTOOD = 'That was not understood as a decision.';

/** Reads an answer: the form's data decides; without it, the text. */
export function interpretAnswer({ data, text }: Pick<SkillContext, 'data' | 'text'>): Answer {
  const forms = data.map(formOf).filter((form) => form !== undefined);
  const [first] = forms;
  if (first === undefined) return textAnswer(text);
  if (forms.some(({ kind }) => kind !== first.kind)) {
    return { kind: 'unclear', why: 'The answer both approves and rejects.' };
  }
  return first.kind === 'unclear' || first.comment !== undefined ? first : withComment(first.kind, text);
}

type FormAnswer = Extract<Answer, { kind: 'approve' | 'reject' | 'unclear' }> & { readonly comment?: string };

/** `{"decision":"approve"}`, `{"approved":true}`; other objects are no answer to the form. */
function formOf(value: unknown): FormAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { decision, approved, comment } = value as Readonly<Record<string, unknown>>;
  if (decision === undefined && approved === undefined) return undefined;
  const kind = typeof approved === 'boolean' ? (approved ? 'approve' : 'reject') : decisionOf(decision);
  const isContradiction = typeof approved === 'boolean' && decision !== undefined && decisionOf(decision) !== kind;
  if (kind === undefined || isContradiction) {
    return { kind: 'unclear', why: `In the form, "decision" must be one of: ${DECISIONS.join(', ')}.` };
  }
  return typeof comment === 'string' ? withComment(kind, comment) : { kind };
}

function decisionOf(value: unknown): 'approve' | 'reject' | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (word === 'approve' || word === 'approved') return 'approve';
  return word === 'reject' || word === 'rejected' ? 'reject' : undefined;
}

function withComment(kind: 'approve' | 'reject', text: string): { kind: 'approve' | 'reject'; comment?: string } {
  const comment = text.trim().slice(0, MAX_COMMENT);
  return comment === '' ? { kind } : { kind, comment };
}

function textAnswer(text: string): Answer {
  if (text.length > MAX_ANSWER) return { kind: 'unclear', why: 'The answer is too long to be a decision.' };
  const plain = folded(text).replace(/\s+/gu, ' ').trim();
  if (plain === '') return { kind: 'unclear', why: 'The answer was empty.' };
  if (/[?？]/u.test(plain) || QUESTIONS.test(plain)) return { kind: 'question', text };
  if (REJECTION.test(plain)) return rejection(plain, text);
  const rest = plain.replace(WORDS, '').replace(/[\s.,;:!。、！✓✔👍-]/gu, '');
  if (APPROVAL.test(plain) && rest === '') return { kind: 'approve' };
  return { kind: 'unclear', why: NOT_UNDERSTOOD };
}

/** `No, do not pay` rejects; `No objections? approved` in one breath says both and is asked again. */
function rejection(plain: string, text: string): Answer {
  let rest = plain;
  while (REJECTION.test(rest)) rest = rest.replace(REJECTION, '').replace(/^[\s.,;:!-]+/u, '');
  return APPROVAL.test(rest) ? { kind: 'unclear', why: NOT_UNDERSTOOD } : withComment('reject', text);
}
