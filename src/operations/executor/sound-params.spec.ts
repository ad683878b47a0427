import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { positionsOf, replaced } from '../../../test/kit/hostile/wrong-kinds.js';
import { SendMessageDto } from '../dto/send-message.dto.js';
import { operationTable } from './operation-table.js';
import { isSound } from './sound-params.js';
import { operationParams } from './validate.js';

const MESSAGE = {
  ...{ messageId: 'm-1', contextId: 'c-1', taskId: 't-1', role: 'ROLE_USER', metadata: { skillId: 'echo' } },
  parts: [
    { text: 'Hello', filename: 'a.txt', mediaType: 'text/plain', metadata: { a: [1, null] } },
    { raw: 'aGk=' },
    { url: 'https://a.example/' },
    { data: { a: [1, null] }, mediaType: 'application/json' },
  ],
  ...{ extensions: ['urn:a:b'], referenceTaskIds: ['t-2'] },
};
const WEBHOOK = {
  ...{ tenant: 'acme', id: 'w-1', taskId: 't-1', url: 'https://a.example/', token: 'secret', events: ['done'] },
  authentication: { scheme: 'Bearer', credentials: 'secret' },
};
const SEND = {
  ...{ tenant: 'acme', message: MESSAGE, metadata: { a: 1 } },
  configuration: {
    ...{ acceptedOutputModes: ['text/plain'], historyLength: 3, returnImmediately: false },
    taskPushNotificationConfig: WEBHOOK,
  },
};
const LIST = {
  ...{ tenant: 'acme', contextId: 'c-1', status: 'TASK_STATE_WORKING', pageSize: 50, pageToken: 'p', historyLength: 0 },
  ...{ statusTimestampAfter: '2026-01-31T12:00:00Z', includeArtifacts: true },
};

/** Params with every member of each class. */
const EXAMPLES: Readonly<Record<string, object>> = {
  SendMessageDto: SEND,
  GetTaskDto: { tenant: 'acme', id: 't-1', historyLength: 3 },
  ListTasksDto: LIST,
  CancelTaskDto: { tenant: 'acme', id: 't-1', metadata: { a: 1 } },
  TaskIdDto: { tenant: 'acme', id: 't-1' },
  PushConfigDto: WEBHOOK,
  PushConfigIdDto: { tenant: 'acme', taskId: 't-1', id: 'w-1' },
  ListPushConfigsDto: { tenant: 'acme', taskId: 't-1', pageSize: 1, pageToken: 'p' },
  TenantDto: { tenant: 'acme' },
};

const rows = Object.values(operationTable({ get: () => undefined as never }));
const CLASSES = [...new Set<ClassConstructor<object>>(rows.map(({ params }) => params))].map(
  (type) => [type.name, type, EXAMPLES[type.name] ?? {}] as const,
);

/** Texts at the bounds of the rules, and those on which character counters and time parsers differ. */
const TEXTS = [
  ...['', ' ', '\u{fe0f}', '\u{fe0f}\u{fe0e}', '❤️', '\u{1f600}', '\ud800', '\udc00x', '\0', '\n', '\u2028', '\u202e'],
  ...['é', 'e\u0301', '__proto__', 'constructor', '7', 'true', 'null', 'aGk', 'aG=k', 'aGk=\n', '-_=='],
  ...['2026-01-31', '2026-01-31T12:00:00', '2026-02-30T12:00:00Z', '2026-01-31t12:00:00z', '2026-01-31T23:59:60Z'],
  ...['ROLE_USER', 'ROLE_AGENT', 'ROLE_UNSPECIFIED', 'TASK_STATE_WORKING', 'working'],
  ...[64, 65, 256, 257, 1024, 1025, 4096, 4097, 8192, 8193].flatMap((size) =>
    ['x', '\u{1f600}', 'x\u{fe0f}'].map((one) => one.repeat(size)),
  ),
];
const NUMBERS = [0, -0, -1, 1, 100, 101, 1.5, 2_147_483_647, 2_147_483_648, NaN, Infinity, 2 ** 53, -1e300];
const LISTS = [20, 21, 100, 101, 1000, 1001].flatMap((size) =>
  ['x', { text: 'x' }, null].map((one) => Array.from({ length: size }, () => one)),
);
const ODD = [null, undefined, true, false, {}, [], [[]], [{}], [null], ['x'], [undefined], { length: 1 }, { 0: {} }];
const value = fc.oneof(
  fc.constantFrom<unknown>(...ODD, ...NUMBERS, ...TEXTS, ...LISTS),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
);

/** Replaced nodes of an example, removed members, and unknown members. */
function edited(example: object): fc.Arbitrary<unknown> {
  const positions = positionsOf(example, '', () => false);
  const edit = fc.tuple(fc.constantFrom(...positions), fc.constantFrom('replace', 'remove', 'add'), value);
  return fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) =>
    edits.reduce<unknown>((document, [{ keys }, kind, other]) => {
      if (kind === 'replace') return replaced(document, keys, other);
      if (kind === 'remove') return replaced(document, keys, undefined);
      return replaced(document, [...keys.slice(0, -1), 'unheardOf'], other);
    }, example),
  );
}

/** Whether class-validator accepts the input too, with the same result. */
function disagreement(type: ClassConstructor<object>, input: unknown): string | undefined {
  if (!isSound(type, input)) return undefined;
  const made = plainToInstance(type, input);
  const faults = validateSync(made, { whitelist: true, forbidUnknownValues: true });
  if (faults.length > 0) return `${type.name} accepts ${JSON.stringify(input).slice(0, 500)}: ${faults.join()}`;
  expect(input).toEqual(made);
  return undefined;
}

describe(isSound.name, () => {
  it.each(CLASSES)('accepts params of %s with every member', (_name, type, example) => {
    expect(isSound(type, example)).toBe(true);
    expect(disagreement(type, example)).toBeUndefined();
  });

  it.each(CLASSES)(
    'accepts no value at any member of %s that class-validator refuses or changes',
    (_name, type, example) => {
      const values = [...ODD, ...NUMBERS, ...TEXTS, ...LISTS];
      const faults = positionsOf(example, '', () => false).flatMap(({ keys }) =>
        values.flatMap((one) => disagreement(type, replaced(example, keys, one)) ?? []),
      );
      expect(faults).toEqual([]);
    },
  );

  it.each(CLASSES)('accepts no edited params of %s that class-validator refuses or changes', (_name, type, example) => {
    fc.assert(
      fc.property(edited(example), (input) => {
        expect(disagreement(type, input)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves the JSON of the caller as it is where class-validator judges the rest (A2A-JSON-04)', async () => {
    const json = { toString: '', valueOf: 1, hasOwnProperty: { constructor: null } };
    const message = { ...MESSAGE, metadata: json, parts: [{ data: json, metadata: json }] };
    const send = { message, metadata: json };
    const judged = { ...send, unheardOf: 1 };
    expect(isSound(SendMessageDto, send)).toBe(true);
    expect(isSound(SendMessageDto, judged)).toBe(false);
    expect(JSON.stringify(await operationParams(SendMessageDto, judged))).toBe(JSON.stringify(send));
  });

  it('refuses params that are not an object', () => {
    const others = [undefined, null, 7, 'text', [], [{}], true];
    expect(CLASSES.flatMap(([, type]) => others.filter((one) => isSound(type, one)))).toEqual([]);
  });
});
