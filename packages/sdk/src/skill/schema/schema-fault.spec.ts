import { describe, expect, it } from '@jest/globals';
import { schemaFault } from './schema-fault.js';

const within = (schema: unknown): unknown => ({ type: 'object', properties: { a: schema } });

describe(schemaFault.name, () => {
  it.each<[string, unknown, string]>([
    ['an address', { $ref: 'https://schemas.example/x.json' }, 'it refers to another document'],
    ['a name that is none', { $ref: '#/$defs/none' }, 'it refers to nothing'],
    ['a pattern of Python', { pattern: '(?P<a>x)' }, 'it has a pattern that is none'],
    ['a pattern that is too long', { pattern: 'a'.repeat(2000) }, 'it has a pattern that is too long'],
    ['a name with a broken pattern', { patternProperties: { '(': {} } }, 'it has a pattern that is none'],
    ['a list for a schema', { not: [] }, 'it is no object'],
    ['null for a schema', { items: null }, 'it is no object'],
    ['text in a choice', { anyOf: [{ allOf: [5] }] }, 'it is no object'],
    ['a tuple of draft-07', { items: [{}, { $ref: '#/definitions/x' }] }, 'it refers to nothing'],
    ['members left over', { unevaluatedProperties: { $ref: '#/$defs/x' } }, 'it refers to nothing'],
    ['entries left over', { unevaluatedItems: 5 }, 'it is no object'],
    ['a dependency', { dependencies: { b: { $ref: '#x' } } }, 'it refers to nothing'],
  ])('finds an unsupported keyword at any depth: %s (B5)', (_what, schema, reason) => {
    expect(schemaFault(schema)).toBe(reason);
    expect(schemaFault(within({ items: { oneOf: [true, within(schema)] } }))).toBe(reason);
    expect(schemaFault({ $defs: { a: schema }, allOf: [{ if: true, then: { $ref: '#/$defs/a' } }] })).toBe(reason);
  });

  it('finds a schema that refers to itself where a value is (B5)', () => {
    expect(schemaFault({ allOf: [{ $ref: '#' }] })).toBe('it is too deep');
  });

  it.each<[string, unknown]>([
    ['a tree', { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }],
    ['names that a member needs', { dependencies: { a: ['b'], c: 'd', e: [] } }],
    ['a bad definition that nothing refers to', { $defs: { a: { $ref: '#/none' } } }],
    ['members named as keywords are', { properties: { pattern: { type: 'string' }, $ref: true, items: false } }],
    ['examples', { default: { $ref: 'x' }, enum: [{ pattern: '(' }], const: [] }],
    ['booleans', { additionalProperties: false, items: true }],
  ])('finds nothing in %s (B5)', (_what, schema) => {
    expect(schemaFault(schema)).toBeUndefined();
  });
});
