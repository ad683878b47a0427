import type { FieldViolation } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import { turnContent } from '../content/turn-content.js';
import { misfits } from './answer-schema.js';
import { decisionIn } from './decision-in.js';

/** Value of an answer, or why it does not fit its question. */
export type AnswerValue = { readonly value: unknown } | { readonly misfits: readonly FieldViolation[] };

/**
 * Reads the value of an answer: its first data value, or its text, also as JSON, whichever fits the schema first; a text that decides
 * is `approve` or `reject` for a schema of these words. Without a schema everything fits.
 */
export function answerValue(message: Pick<Message, 'parts'>, schema: JsonObject | undefined): AnswerValue {
  const { text, data } = turnContent([message]);
  if (schema === undefined) return { value: data.length > 0 ? data[0] : text };
  const said = text.trim();
  const candidates = [...data, ...(said === '' ? [] : [said, ...jsonIn(said)])];
  let faults: readonly FieldViolation[] | undefined;
  for (const value of candidates) {
    const found = misfits(schema, value);
    if (found.length === 0) return { value };
    faults ??= found;
  }
  const decision = isOfDecisions(schema) ? decisionIn(said) : undefined;
  if (decision === 'approve' || decision === 'reject') return { value: decision };
  return { misfits: faults ?? [{ field: 'answer', description: 'has neither text nor data' }] };
}

/** Whether a schema has these words, and not any text. */
function isOfDecisions(schema: JsonObject): boolean {
  const isTaken = (word: string): boolean => misfits(schema, word).length === 0;
  return isTaken('approve') && isTaken('reject') && !isTaken('another');
}

function jsonIn(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return [];
  }
}
