import { describe, expect, it } from '@jest/globals';
import type { Schema } from '../api/schema.js';
import { defaultsOf, fieldsOf } from './schema-form.js';

/** Schemas of other agents of which no form is made. */
const FORMLESS: readonly (readonly [what: string, properties: unknown])[] = [
  ['no properties', undefined],
  ['properties that are no object', 'text'],
  ['a list of properties', [{ type: 'string' }]],
  ['a property that is null', { a: null }],
  ['a property that is nested', { a: { type: 'object', properties: {} } }],
  ['choices that are no texts', { a: { enum: [1, {}] } }],
  ['choices that are no list', { a: { enum: 'ab', type: 'string' } }],
  ['more choices than anybody reads', { a: { enum: Array.from({ length: 201 }, String) } }],
  [
    'more fields than anybody fills in',
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
      ['isOpen', 'isOpen', 'switch', false],
      ['kind', 'kind', 'choice', false],
    ]);
    expect(defaultsOf(fields)).toEqual({ size: 3, isOpen: false, kind: 'b' });
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
    expect(defaultsOf(fields)).toEqual({ c: false });
  });
});
