import { decisionIn } from '@parley/sdk';
import type { SkillContext } from '@parley/sdk';
import { DECISIONS } from '../dto/approval-answer.dto.js';

/** Meaning of an answer to an approval request. */
export type Answer =
  | { readonly kind: 'approve' | 'reject'; readonly comment?: string }
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'unclear'; readonly why: string };

/** Longest text that is taken as a comment. */
const MAX_COMMENT = 2000;

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
  if (text.trim() === '') return { kind: 'unclear', why: 'The answer was empty.' };
  const decision = decisionIn(text);
  if (decision === undefined) return { kind: 'unclear', why: NOT_UNDERSTOOD };
  if (decision === 'question') return { kind: 'question', text };
  return decision === 'reject' ? withComment('reject', text) : { kind: 'approve' };
}
