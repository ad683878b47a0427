import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Transform, Type } from 'class-transformer';
import * as cv from 'class-validator';
import fc from 'fast-check';
import { checkDto } from '../dto-check.js';
import { jsonSchemaOf } from '../json-schema.js';

type Arguments = readonly unknown[];

enum Size {
  Small = 'small',
  Large = 'large',
}

/** Every decorator of class-validator that judges a value, with arguments that it is tried with. */
const RULES: Readonly<Record<string, readonly Arguments[]>> = {
  ArrayContains: [[['a', 1]], [[{}]]],
  ArrayMaxSize: [[2]],
  ArrayMinSize: [[1]],
  ArrayNotContains: [[['a', null]]],
  ArrayNotEmpty: [[]],
  ArrayUnique: [[], [(one: { a?: unknown }) => one.a]],
  Contains: [['a.']],
  Equals: [['a'], [null], [{}]],
  IsIn: [[['a', 1, null]], [['a', 'b']], [[]], [[{}, 'x', undefined]]],
  IsNotIn: [[['a', 1, null]], [[]]],
  IsEnum: [[Size]],
  Length: [[1, 3], [2]],
  MinLength: [[2]],
  MaxLength: [[3]],
  IsByteLength: [[2, 4], [0]],
  Matches: [
    [/^[a-f]+\d?$/i],
    [/^é[x_]/iu],
    [/a.b/s],
    ['^a-', 'i'],
    [/^a$/m],
    [/^[A-z]$/i],
    [/[\w-.]/],
    [/^(?:k|S)$/iu],
    [/^[^a-c]$/i],
    [/\p{L}/iu],
  ],
  Max: [[10]],
  Min: [[1.5]],
  IsDivisibleBy: [[3], [-2], [0], [2.5]],
  NotContains: [['a'], ['']],
  NotEquals: [['a'], [{}]],
  IsHash: [['md5'], ['sha256']],
  IsUUID: [[], ['4'], ['all']],
  IsNumber: [[], [{ maxDecimalPlaces: 1 }]],
  IsNumberString: [[], [{ no_symbols: true }]],
  IsDecimal: [[], [{ decimal_digits: '2', locale: 'de-DE' }]],
  IsISO8601: [[], [{ strict: true }]],
  IsUrl: [[], [{ require_tld: false, require_protocol: true }]],
  IsEmail: [[], [{ allow_display_name: true, require_tld: false }]],
  IsAlpha: [[], ['de-DE']],
  IsAlphanumeric: [[], ['ru-RU']],
  IsBase32: [[], [{ crockford: true }]],
  IsBase64: [[], [{ urlSafe: true }]],
  IsIP: [[], ['4'], [6]],
  IsISBN: [[], ['13']],
  IsMobilePhone: [[], ['de-DE']],
  IsPhoneNumber: [[], ['CH']],
  IsPostalCode: [['DE'], ['any']],
  IsTaxId: [['de-DE']],
  IsPassportNumber: [['CH']],
  IsIdentityCard: [['ES']],
  IsNotEmptyObject: [[], [{ nullable: false }]],
  MinDate: [[new Date('2026-01-01')]],
  MaxDate: [[new Date('2027-01-01')]],
  IsInstance: [[Date]],
};

/** They judge no value by themselves. */
const OTHERS = ['Allow', 'IsOptional', 'Validate', 'ValidateBy', 'ValidateIf', 'ValidateNested', 'ValidatePromise'];
const CLASSES = ['MetadataStorage', 'ValidationError', 'ValidationTypes', 'Validator', 'ValidatorConstraint'];

const NAMES = Object.keys(cv).filter(
  (name) =>
    /^[A-Z][a-z]/.test(name) && typeof Reflect.get(cv, name) === 'function' && ![...OTHERS, ...CLASSES].includes(name),
);
const CASES = NAMES.flatMap((name) => (RULES[name] ?? [[]]).map((args) => [name, args] as const));

/** Accepted values of some rules, and values that resemble them. */
const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    1,
    1.5,
    3,
    -4,
    6,
    12,
    1e21,
    Number('9007199254740993'),
    '',
    ' ',
    'a',
    'A',
    'b',
    'ab',
    'abcd',
    'x',
    'K',
    'ſ',
  ],
  ...[
    'é',
    'Éx',
    '😀',
    '❤️',
    'a.b',
    'a\nb',
    'a-',
    'A-',
    'large',
    'Small',
    'true',
    '1',
    '0',
    '-1',
    '1.5',
    '+.5',
    '1,5',
    '0x1F',
    '017',
    '0O7',
  ],
  ...[
    '2026-12-01',
    '2026-12-01T10:00:00Z',
    '2026-12-01t10:00:00.5+01:00',
    '2026-W49',
    '2026-W49-1',
    '2026',
    '2026-335',
    '20261201',
    '2026-02-30',
  ],
  ...['2026-12-01 10:00:00Z', '2026-12-01T10', '+2026-12-01T24:00', '2026-12-01T23:59:60Z', '23:59', '2359'],
  ...[
    'a@b.ch',
    'ü@bücher.de',
    'Name <a@b.ch>',
    'a.ch',
    'http://a.ch/x',
    'https://[::1]/',
    'http://localhost',
    '127.0.0.1',
    '::1',
    '256.1.1.1',
  ],
  ...[
    'EUR',
    'eur',
    'CH',
    'che',
    '756',
    'de',
    'de-DE',
    'CH93 0076 2011 6238 5295 7',
    'DE89370400440532013000',
    'COBADEFFXXX',
    '4111 1111 1111 1111',
  ],
  ...[
    '550e8400-e29b-41d4-a716-446655440000',
    '550E8400-E29B-11D4-A716-446655440000',
    '00000000-0000-0000-0000-000000000000',
    'd41d8cd98f00b204e9800998ecf8427e',
  ],
  ...[
    'JBSWY3DPEBLW64TMMQ======',
    'YWJj',
    'YWI=',
    'YW-_',
    '507f1f77bcf86cd799439011',
    '#fff',
    'ABCDEF',
    'rgb(0,0,0)',
    'HSL(1,1%,1%)',
    '00:1B:44:11:3A:B7',
  ],
  ...[
    '4006381333931',
    '9783161484100',
    '2049-3630',
    'US0378331005',
    'USRC17607839',
    '0xDe0B295669a9FD93d5F28D9Ec85E40f4cb697BAe',
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
  ],
  ...[
    '{"a":1}',
    '[1]',
    'data:text/plain,hi',
    ' data:,x',
    'magnet:?xt=urn:btih:ABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD',
    'text/plain',
    '8080',
    '99999',
    '1.2.3',
    'Aa1!aaaa',
  ],
  ...[
    '+41446681800',
    '0446681800',
    '8001',
    'ｶﾅ',
    '漢字',
    'Europe/Zurich',
    'eyJhbGciOiJIUzI1NiJ9.e30.abc',
    '$1.00',
    '47.1,8.5',
    '-90',
    '-MxYzAbCdEfGhIjKlMnO',
  ],
  ...[[], ['a'], ['a', 1], ['a', 'a'], [null], [{}], [{}, {}], [{ a: 1 }, { a: 1 }], [[]], ['2026-12-01'], [1, 2, 3]],
  ...[{}, { a: 1 }, { a: null }, { a: [] }],
];

const plainAjv = new Ajv2020({ strict: false, validateFormats: false });
/** A reader that asserts formats, with the forms of the RFCs to the letter. */
const assertingAjv = new Ajv2020({
  strict: false,
  formats: {
    date: /^\d{4}-\d\d-\d\d$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  },
});

type Decorate = (target: object, name: string) => void;

function classOf(...decorators: readonly unknown[]): new () => object {
  const { Made } = {
    Made: class {
      readonly member?: unknown;
    },
  };
  for (const decorate of [...decorators].reverse()) (decorate as Decorate)(Made.prototype, 'member');
  return Made;
}

function decorator(name: string, args: Arguments, options?: cv.ValidationOptions): PropertyDecorator {
  const make = Reflect.get(cv, name) as (...args: Arguments) => PropertyDecorator;
  // The options are the last parameter, at its own position.
  const filled =
    options === undefined
      ? args
      : [...args, ...Array.from({ length: Math.max(0, make.length - 1 - args.length) }), options];
  return make(...filled);
}

/** Values that the service accepts and the schema refuses. */
async function stricter(type: new () => object, values: readonly unknown[]): Promise<readonly unknown[]> {
  const schema = jsonSchemaOf(type);
  const readers = [plainAjv.compile(schema), assertingAjv.compile(schema)];
  const found: unknown[] = [];
  for (const json of [{}, ...values.map((member) => ({ member }))]) {
    const { kind } = await checkDto(type, structuredClone(json), 'at');
    if (kind === 'fits' && !readers.every((fits) => fits(json))) found.push(json);
  }
  return found;
}

/** Values that the schema accepts and the service refuses. */
async function looser(type: new () => object, values: readonly unknown[]): Promise<readonly unknown[]> {
  const fits = plainAjv.compile(jsonSchemaOf(type));
  const found: unknown[] = [];
  for (const json of [{}, ...values.map((member) => ({ member }))]) {
    const { kind } = await checkDto(type, structuredClone(json), 'at');
    if (kind === 'violations' && fits(json)) found.push(json);
  }
  return found;
}

/** One text longer than its code points say: class-validator counts a sign with its variation selector as one. */
const COUNTED = VALUES.filter((value) => value !== '❤️');

describe('the schema of a class', () => {
  it.each(CASES)('accepts all that %s(%j) accepts (newcomer A-4, conformance C2)', async (name, args) => {
    const values = name.includes('Length') ? COUNTED : VALUES;
    expect(await stricter(classOf(decorator(name, args)), values)).toEqual([]);
    expect(await stricter(classOf(cv.IsOptional(), decorator(name, args)), [null])).toEqual([]);
    const lists = values.map((value) => [value]);
    expect(await stricter(classOf(decorator(name, args, { each: true })), [null, 'a', 1, {}, [], ...lists])).toEqual(
      [],
    );
    const dated = classOf(
      Type(() => Date),
      decorator(name, args),
    );
    expect(await stricter(dated, name.includes('Date') ? values : [null, 'a', 5, [], ['a']])).toEqual([]);
  });

  it('accepts all that two rules of a member accept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CASES), fc.constantFrom(...CASES), async ([one, its], [other, others]) => {
        expect(await stricter(classOf(decorator(one, its), decorator(other, others)), COUNTED)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  const EXACT = [
    'IsString',
    'IsInt',
    'IsBoolean',
    'IsObject',
    'IsArray',
    'IsIn',
    'IsNotIn',
    'IsEnum',
    'Equals',
    'NotEquals',
    'IsEmpty',
  ];
  const ALSO = [
    'IsNotEmpty',
    'IsDefined',
    'Min',
    'Max',
    'IsPositive',
    'ArrayMinSize',
    'ArrayMaxSize',
    'ArrayNotEmpty',
    'Contains',
    'IsDecimal',
  ];
  it.each(
    CASES.filter(
      ([name, args]) =>
        [...EXACT, ...ALSO].includes(name) && args.every((one) => typeof one !== 'object' || Array.isArray(one)),
    ),
  )('accepts only what %s(%j) accepts', async (name, args) => {
    expect(await looser(classOf(decorator(name, args)), VALUES)).toEqual([]);
  });

  it('shows the usual form of a member that is transformed or conditional, and accepts the values that these let pass', async () => {
    const trimmed = classOf(
      Transform(({ value }: { value: string }) => value.trim()),
      cv.Length(1, 2),
    );
    const numeric = classOf(
      Type(() => Number),
      cv.IsInt(),
    );
    const conditional = classOf(
      cv.ValidateIf(({ member }: { member?: unknown }) => member !== 5),
      cv.IsString(),
    );
    for (const type of [trimmed, numeric, conditional]) expect(await stricter(type, [...COUNTED, ' ab '])).toEqual([]);
    expect(jsonSchemaOf(trimmed).properties.member).toEqual({
      anyOf: [{ type: 'string', minLength: 1, maxLength: 2 }, {}],
    });
  });

  it('names no member of a rule that is unknown, and requires it where the rule refuses its absence', () => {
    const own = (accepts: boolean): PropertyDecorator =>
      cv.ValidateBy({ name: 'isOwn', validator: { validate: () => accepts } });
    expect(jsonSchemaOf(classOf(own(true)))).toMatchObject({ properties: { member: {} } });
    expect(jsonSchemaOf(classOf(own(true))).required).toBeUndefined();
    expect(jsonSchemaOf(classOf(own(false))).required).toEqual(['member']);
  });

  it('refuses a transformation that throws with the name of the member, not with an internal error', async () => {
    const trimmed = classOf(
      Transform(({ value }: { value: string }) => value.trim()),
      cv.IsString(),
    );
    expect(await checkDto(trimmed, { member: 5 }, 'data')).toEqual({
      kind: 'violations',
      violations: [{ field: 'data.member', description: 'cannot be read' }],
    });
  });
});
