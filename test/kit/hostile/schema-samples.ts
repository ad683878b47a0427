import fc from 'fast-check';

/** A JSON Schema as this service writes it for the input of a skill. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** Values that fit a schema. */
export function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, fitting(member)] as const);
      return fc.record(Object.fromEntries(members), { requiredKeys: [...(schema.required ?? [])] });
    }
    case 'array':
      return fc.array(fitting(schema.items ?? {}), { minLength: 1, maxLength: 3 });
    case 'integer':
      return fc.integer({ min: 1, max: 9 });
    case 'number':
      return fc.double({ min: 1, max: 9, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'string':
    case undefined:
    default:
      return fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme-ascii' });
  }
}

/** A value that does not fit, and the member that is wrong. */
export interface Mutation {
  readonly path: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Every way to spoil one member of an object that fits: left out, of another type, or one too many. */
export function mutationsOf({ properties = {}, required = [] }: Schema, sample: object): readonly Mutation[] {
  const value = { ...sample } as Record<string, unknown>;
  const without = (name: string): Record<string, unknown> =>
    Object.fromEntries(Object.entries(value).filter(([own]) => own !== name));
  return [
    ...required.map((path) => ({ path, value: without(path) })),
    ...Object.keys(properties).map((path) => ({ path, value: { ...value, [path]: { an: ['object'] } } })),
    { path: 'undeclared', value: { ...value, undeclared: 1 } },
  ];
}
