import { describe, expect, it } from '@jest/globals';
import type { Schema } from '../../api/schema.js';
import { decisionOf, defaultsOf, fieldsOf, valueIn } from './schema-form.js';

/** Schemas of other agents of which no form is made. */
const FORMLESS: readonly (readonly [what: string, properties: unknown])[] = [
  ['no properties', undefined],
  ['properties that are no object', 'text'],
  ['a list of properties', [{ type: 'string' }]],
  ['a property that is null', { a: null }],
  ['a property that is nested', { a: { type: 'object', properties: {} } }],
  ['choices that are no texts', { a: { enum: [1, {}] } }],
  ['choices that are no list', { a: { enum: 'ab', type: 'string' } }],
  ['more choices than a list shows', { a: { enum: Array.from({ length: 201 }, String) } }],
  [
    'more fields than a form shows',
    Object.fromEntries(Array.from({ length: 51 }, (_one, at) => [at, { type: 'string' }])),
  ],
];

const form = (properties: unknown, more: object = {}) => fieldsOf({ type: 'object', properties, ...more } as Schema);

describe(fieldsOf, () => {
  it('makes a field of each member of a flat object', () => {
    const fields = form(
      {
        text: { type: 'string', title: 'A text' },
        size: { type: 'integer', default: 3 },
        isOpen: { type: 'boolean' },
        kind: { enum: ['a', 'b'], default: 'b' },
      },
      { required: ['text'] },
    );
    expect(fields.map(({ name, label, kind, isRequired }) => [name, label, kind, isRequired])).toEqual([
      ['text', 'A text', 'text', true],
      ['size', 'size', 'number', false],
      ['isOpen', 'isOpen', 'yes-no', false],
      ['kind', 'kind', 'choice', false],
    ]);
    expect(defaultsOf(fields)).toEqual({ size: 3, kind: 'b' });
  });

  it.each(FORMLESS)('makes no form of a schema of another agent with %s', (_what, properties) => {
    expect(form(properties)).toEqual([]);
  });

  it('presets nothing that the form does not show, and asks for nothing by a strange list', () => {
    const fields = form(
      {
        a: { type: 'string', default: { hidden: 1 } },
        b: { enum: ['x'], default: 'y' },
        c: { type: 'boolean', default: 'yes' },
      },
      { required: { includes: 'a' } },
    );
    expect(fields.map(({ isRequired }) => isRequired)).toEqual([false, false, false]);
    expect(defaultsOf(fields)).toEqual({});
  });
});

describe('what a form shows', () => {
  it("keeps the schema's details of a field: description, format, bounds", () => {
    const fields = form({
      size: { type: 'integer', minimum: 1, maximum: 90, description: 'In cm' },
      mail: { type: 'string', format: 'email', maxLength: 40 },
      price: { type: 'number', minimum: 0.5 },
    });
    expect(fields.map(({ description, rule }) => [description, rule])).toEqual([
      ['In cm', 'a whole number, 1 to 90'],
      [undefined, 'email, at most 40 characters'],
      [undefined, 'a number, at least 0.5'],
    ]);
  });

  it.each([
    ['boolean', true],
    ['boolean', false],
  ])('presets a %s of a skill by the default of its author alone (%j)', (type, preset) => {
    expect(defaultsOf(form({ a: { type, default: preset }, b: { type } }))).toEqual({ a: preset });
  });

  it('makes a form of a single value, whose value is the answer, and none of a text', () => {
    const fields = fieldsOf({ enum: ['approve', 'reject'] });
    expect(fields).toMatchObject([{ name: '', kind: 'choice' }]);
    expect(valueIn(fields, { '': 'approve' })).toBe('approve');
    expect(fieldsOf({ type: 'string' })).toEqual([]);
  });
});

/** Forms that ask for a decision, with the buttons that they get. */
const DECISIONS: readonly (readonly [what: string, schema: unknown, buttons: readonly string[]])[] = [
  ['a boolean by its name', object({ approve: { type: 'boolean' } }, ['approve']), ['Approve', 'Reject!']],
  ['a boolean that may be left out', object({ isApproved: { type: 'boolean' } }), ['Approve', 'Reject!']],
  ['a boolean with a default', object({ confirm: { type: 'boolean', default: true } }), ['Approve', 'Reject!']],
  ['only a boolean', { type: 'boolean' }, ['Approve', 'Reject!']],
  ['choices that say both', object({ decision: { enum: ['reject', 'approve'] } }), ['Approve', 'Reject!']],
  ['only choices', { enum: ['yes', 'no', 'later'], default: 'yes' }, ['Yes', 'No!', 'Later!']],
  [
    'the approval of a call',
    { anyOf: [{ enum: ['approve', 'reject'] }, object({ approved: { type: 'boolean' }, reason: { type: 'string' } })] },
    ['Approve', 'Reject!'],
  ],
];

function object(properties: object, required: readonly string[] = []): object {
  return { type: 'object', properties, required };
}

describe(decisionOf, () => {
  it.each(DECISIONS)(
    'finds the decision in %s; each option that does not agree asks (C-2, I20)',
    (_what, schema, buttons) => {
      const decision = decisionOf(fieldsOf(schema as Schema));
      expect(decision?.options.map(({ text, isYes }) => text + (isYes ? '' : '!'))).toEqual(buttons);
    },
  );

  it.each([
    ['another boolean', object({ isFragile: { type: 'boolean' } }, ['isFragile'])],
    ['choices without a no', object({ colour: { enum: ['ok', 'red'] } })],
    ['two decisions', object({ approve: { type: 'boolean' }, confirm: { type: 'boolean' } })],
    ['texts', object({ decision: { type: 'string' } })],
  ])('finds none in %s', (_what, schema) => {
    expect(decisionOf(fieldsOf(schema as Schema))).toBeUndefined();
  });
});
