import { describe, expect, it } from '@jest/globals';
import { A2AError } from '../model/errors.js';
import { Json } from '../model/json.js';
import type { Task } from '../model/task.js';
import { codecV01 } from './codec.js';

const send = (params: unknown) => codecV01.decodeParams('SendMessage', { method: 'tasks/send', params });
const message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };

describe('the message of a 0.1 call', () => {
  it.each([
    ['its parts in `data`, as the first request of seed 001', [{ type: 'text', text: 'hi' }], [{ text: 'hi' }]],
    [
      'several kinds there',
      [
        { type: 'text', text: 'a' },
        { type: 'data', data: { b: 1 } },
      ],
      [{ text: 'a' }, { data: { b: 1 } }],
    ],
    ['a list that is no list of parts', [{ type: 'text' }], [{ data: [{ type: 'text' }] }]],
    ['an empty list', [], [{ data: [] }]],
    ['a value', { a: 1 }, [{ data: { a: 1 } }]],
  ])('has %s (S10)', (_, data, parts) => {
    const params = { id: 't', message: { role: 'user', data } };
    expect(codecV01.decodeParams('SendMessage', { method: 'tasks/send', params })).toMatchObject({
      message: { parts },
    });
  });
});

describe('codecV01', () => {
  it.each([undefined, null, 7, '', 'with space', 'x'.repeat(257), 'umläut'])('D01-01: refuses task id %j', (id) => {
    expect(() => send({ id, message })).toThrow(A2AError);
  });

  it('A2A-SEND-14: gives a repeated message the same id, and another task or message another', () => {
    const idOf = (params: object) =>
      (send(params) as { readonly message: { readonly messageId: string } }).message.messageId;
    const first = idOf({ id: 'a', message });
    expect(first).toMatch(/^v01-[0-9a-f]{32}$/);
    expect(idOf({ id: 'a', message, sessionId: 's' })).toBe(first);
    expect(idOf({ id: 'b', message })).not.toBe(first);
    expect(idOf({ id: 'a', message: { ...message, parts: [{ type: 'text', text: 'ho' }] } })).not.toBe(first);
  });

  it('takes an empty session, and other texts that are empty, as unset (M2)', () => {
    const params = {
      id: 'a',
      sessionId: '',
      message: { ...message, messageId: '' },
      pushNotification: { url: 'u', token: '' },
    };
    expect(send(params)).toEqual({
      message: { messageId: expect.stringMatching(/^v01-/), role: 'ROLE_USER', parts: [{ text: 'hi' }] },
      configuration: { historyLength: 0, returnImmediately: true, taskPushNotificationConfig: { id: 'a', url: 'u' } },
    });
  });

  it('leaves faults of the message to validation', () => {
    expect(send({ id: 'a', message: 'hi', sessionId: 5 })).toMatchObject({ message: 'hi' });
    expect(send({ id: 'a' })).toEqual({ configuration: { historyLength: 0, returnImmediately: true } });
  });

  it('writes a task under the id of the server where no client asked', () => {
    const task = Json.of<Task>({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', timestamp: 'T' } });
    const text = codecV01.encodeResult('GetTask', task, { method: 'tasks/get', params: {} });
    expect(JSON.parse(text)).toMatchObject({ id: 't', sessionId: 'c' });
  });

  it('SEED-13: keeps the events that a webhook wants', () => {
    const pushNotification = { url: 'https://hook.example', events: ['status'] };
    expect(send({ id: 'a', message, pushNotification })).toMatchObject({
      configuration: { taskPushNotificationConfig: { id: 'a', url: 'https://hook.example', events: ['status'] } },
    });
  });

  it('has no method for operations that 0.1 did not have (A2A-RPC-05)', () => {
    for (const method of ['tasks/list', 'message/send', 'tasks/pushNotificationConfig/set', 'SendMessage']) {
      expect(codecV01.operationOf(method, {})).toBeUndefined();
    }
  });
});
