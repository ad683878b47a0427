import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DeadLetterFilterDto } from '../server/operator/dto/dead-letter-filter.dto.js';
import { ListTasksDto } from './dto/list-tasks.dto.js';
import { MessageDto } from './dto/message.dto.js';
import { SendMessageDto } from './dto/send-message.dto.js';
import { GetTaskDto } from './dto/task.dto.js';
import { fastValidated } from './fast-validation.js';

const GOOD = {
  message: {
    messageId: 'm-1',
    role: 'ROLE_USER',
    parts: [{ text: 'Hello' }, { data: { a: [1, null] }, mediaType: 'application/json' }],
    metadata: { skillId: 'echo' },
  },
  configuration: { historyLength: 3, taskPushNotificationConfig: { url: 'https://example.com/' } },
};

/** What a caller may send: mostly right, wrong in few places. */
const text = fc.oneof(fc.constantFrom('m-1', 'ROLE_USER', '', 'with space', 'aGk='), fc.string());
const odd = fc.constantFrom(null, undefined, 1, true, '', [], {}, ['x'], { url: 'x' });
const maybe = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.oneof({ weight: 8, arbitrary: value }, odd);
const object = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record({ ...members, unheardOf: fc.constant(1) }, { requiredKeys: [] });
const part = object({ text: maybe(text), raw: maybe(text), url: maybe(text), data: maybe(fc.json()), metadata: odd });
const message = object({
  messageId: maybe(text),
  role: maybe(fc.constantFrom('ROLE_USER', 'ROLE_AGENT', 'NOBODY')),
  parts: maybe(fc.array(maybe(part), { maxLength: 3 })),
  contextId: maybe(text),
  extensions: maybe(fc.array(maybe(text), { maxLength: 2 })),
});
const configuration = object({
  historyLength: maybe(fc.integer({ min: -1, max: 5 })),
  returnImmediately: maybe(fc.boolean()),
  taskPushNotificationConfig: maybe(object({ url: maybe(text), authentication: maybe(object({ scheme: text })) })),
});
const request = object({ message: maybe(message), configuration: maybe(configuration), tenant: maybe(text) });

describe(fastValidated.name, () => {
  it('gives params that are right as class-transformer makes them', () => {
    expect(fastValidated(SendMessageDto, GOOD)).toEqual(plainToInstance(SendMessageDto, GOOD));
    expect(fastValidated(SendMessageDto, GOOD)?.message).toBeInstanceOf(MessageDto);
    expect(fastValidated(GetTaskDto, { id: 'x', historyLength: 0 })).toEqual({ id: 'x', historyLength: 0 });
    expect(fastValidated(ListTasksDto, {})).toEqual({});
  });

  it('leaves what is wrong or unknown to class-validator', () => {
    expect(fastValidated(GetTaskDto, { id: '' })).toBeUndefined();
    expect(fastValidated(GetTaskDto, { id: 'x', unheardOf: 1 })).toBeUndefined();
    expect(fastValidated(SendMessageDto, { ...GOOD, message: { ...GOOD.message, parts: [{}] } })).toBeUndefined();
    expect(fastValidated(SendMessageDto, { ...GOOD, message: { ...GOOD.message, parts: [null] } })).toBeUndefined();
    expect(fastValidated(DeadLetterFilterDto, { limit: '5' })).toBeUndefined();
  });

  it('takes nothing that class-validator refuses', () => {
    fc.assert(
      fc.property(request, (input) => {
        const sound = fastValidated(SendMessageDto, input);
        if (sound === undefined) return;
        const params = plainToInstance(SendMessageDto, input);
        expect(validateSync(params, { whitelist: true, forbidUnknownValues: true })).toEqual([]);
        expect(sound).toEqual(params);
      }),
      { numRuns: 2000 },
    );
  });
});
