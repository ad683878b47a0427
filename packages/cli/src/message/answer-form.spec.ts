import { describe, expect, it } from '@jest/globals';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { answerOf, fieldsOf, hintOf, questionsOf } from './answer-form.js';

const SCHEMA = {
  type: 'object',
  required: ['decision', 'count'],
  properties: {
    decision: { enum: ['approve', 'reject'], title: 'Decision' },
    count: { type: 'integer' },
    price: { type: 'number' },
    urgent: { type: 'boolean', default: false },
    tags: { type: 'array', items: { type: 'string' } },
    note: { type: 'string', description: 'A word for the payer' },
  },
};

const given = (fields: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(fields));
const statusOf = (message: object) =>
  ({ state: 'TASK_STATE_INPUT_REQUIRED', message }) as Parameters<typeof questionsOf>[0];

describe(questionsOf.name, () => {
  it('finds the questions that the extension lists, with their schemas', () => {
    const questions = [{ id: 't:1.0', text: 'Pay?', schema: SCHEMA, path: 'a' }, { id: 't:1.1', text: 'When?' }, 7];
    const found = questionsOf(
      statusOf({ parts: [{ text: 'two' }], metadata: { [QUESTIONS_EXTENSION]: { questions } } }),
    );
    expect(found).toEqual([
      { id: 't:1.0', text: 'Pay?', schema: SCHEMA },
      { id: 't:1.1', text: 'When?' },
    ]);
  });

  it.each([
    ['form.schema', { form: { schema: SCHEMA } }],
    ['schema', { schema: SCHEMA }],
    ['itself', SCHEMA],
  ])('finds the form of other agents: a data part with %s', (_where, data) => {
    expect(questionsOf(statusOf({ parts: [{ text: 'Pay?' }, { data }] }))).toEqual([{ text: 'Pay?', schema: SCHEMA }]);
  });

  it('takes a message without a form as a question for a text', () => {
    expect(questionsOf(statusOf({ parts: [{ text: 'Which?' }, { data: [1] }] }))).toEqual([{ text: 'Which?' }]);
  });
});

describe(answerOf.name, () => {
  it('makes values of the types of the schema', () => {
    const fields = given({ decision: 'approve', count: '3', price: '1.5', tags: 'a, b', note: 'a=b' });
    expect(answerOf(SCHEMA, fields)).toEqual({
      ...{ decision: 'approve', count: 3, price: 1.5, tags: ['a', 'b'], note: 'a=b' },
    });
    expect(answerOf(SCHEMA, given({ decision: 'reject', count: '0', urgent: 'Yes' }))).toEqual({
      ...{ decision: 'reject', count: 0, urgent: true },
    });
  });

  it.each([
    [{ decision: 'maybe', count: '1' }, 'decision must be one of approve, reject'],
    [{ decision: 'approve', count: '1.5' }, 'count must be a whole number'],
    [{ decision: 'approve', count: '1', price: 'much' }, 'price must be a number'],
    [{ decision: 'approve', count: '1', urgent: 'soon' }, 'urgent must be yes or no'],
    [{ decision: 'approve' }, 'The question needs --field count=<integer>'],
    [{ decision: 'approve', count: '1', colour: 'red' }, 'The question has no field colour; it has decision, count'],
  ])('refuses %j, and describes the accepted input', (fields, expected) => {
    expect(() => answerOf(SCHEMA, given(fields as unknown as Record<string, string>))).toThrow(expected);
  });

  it('takes the default of a text or a number that is left empty, and none that decides (C-2, I20)', () => {
    const schema = {
      type: 'object',
      properties: {
        approve: { type: 'boolean', default: true },
        decision: { enum: ['approve', 'reject'], default: 'approve' },
        limit: { type: 'number', default: 90 },
        note: { type: 'string', default: 'none' },
      },
    };
    expect(answerOf(schema, given({}))).toEqual({ limit: 90, note: 'none' });
    const needed = { ...schema, required: ['approve'] };
    expect(() => answerOf(needed, given({ limit: '3' }))).toThrow('The question needs --field approve=<boolean>');
  });

  it('reads the fields of the alternative that has some', () => {
    const object = { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };
    const schema = { anyOf: [{ enum: ['approve', 'reject'] }, object] };
    expect(answerOf(schema, given({ approved: 'no' }))).toEqual({ approved: false });
  });

  it('describes the accepted input', () => {
    expect(fieldsOf(SCHEMA).map((field) => `${field.title}: ${hintOf(field)}`)).toEqual([
      'Decision: approve | reject',
      'count: integer',
      'price: number, may be empty',
      'urgent: boolean, may be empty',
      'tags: a, b, …, may be empty',
      'A word for the payer: string, may be empty',
    ]);
    expect(fieldsOf({ type: 'string' })).toEqual([]);
  });
});
