import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Answer } from './question.js';

/** The answer to a question of yes or no: a person says it in words, a program in a member. */
export const VERDICT: JsonObject = {
  anyOf: [
    { enum: ['approve', 'reject'] },
    {
      type: 'object',
      properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
      required: ['approved'],
    },
  ],
};

/** Outcome of a yes-or-no question. */
export interface Verdict {
  readonly approved: boolean;
  readonly reason?: string;
}

/** Reads an answer that fits `VERDICT`; a rejection in more words than one has them as its reason. */
export function verdictOf({ value, text }: Pick<Answer, 'value' | 'text'>): Verdict {
  if (isVerdict(value)) return value;
  const reason = text.trim();
  return value === 'approve' || reason === '' || reason === value
    ? { approved: value === 'approve' }
    : { approved: false, reason };
}

function isVerdict(value: unknown): value is Verdict {
  return typeof value === 'object' && value !== null && 'approved' in value;
}
