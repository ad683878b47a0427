import type { FieldViolation } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Message } from '../../protocol/message.js';
import { turnContent } from '../turn-content.js';
import { misfits } from './answer-schema.js';

/** What an answer says, or why it does not fit its question. */
export type AnswerValue = { readonly value: unknown } | { readonly misfits: readonly FieldViolation[] };

/**
 * Reads the value of an answer: its first data value, or its text, also as JSON, whichever fits the schema first. Without
 * a schema everything fits.
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
  return { misfits: faults ?? [{ field: 'answer', description: 'has neither text nor data' }] };
}

function jsonIn(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return [];
  }
}
