import { describe, expect, it } from '@jest/globals';
import { A2A_ERROR_NAMES, A2AError, invalidParams } from '../model/errors.js';
import { Json } from '../model/json.js';
import type { OperationName } from '../model/operations.js';
import { codecV1 } from './codec.js';
import { RPC_CODES_V1 } from './rpc-errors.js';

const decode = (operation: OperationName, params: unknown) =>
  codecV1.decodeParams(operation, { method: operation, params });
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

describe('codecV1 input', () => {
  it('knows operations by their names and nothing else', () => {
    expect(codecV1.operationOf('SendMessage')).toBe('SendMessage');
    expect(codecV1.operationOf('message/send')).toBeUndefined();
    expect(codecV1.operationOf('toString')).toBeUndefined();
  });

  it('passes v1 params as they are', () => {
    const params = { message, configuration: { historyLength: 0, returnImmediately: true }, metadata: { a_b: null } };
    expect(decode('SendMessage', params)).toEqual(params);
  });

  it('A2A-JSON-01: accepts proto names, and leaves opaque members alone', () => {
    const params = {
      message: {
        message_id: 'm',
        role: 'ROLE_USER',
        context_id: 'c',
        parts: [{ data: { a_b: 1 }, media_type: 'x/y' }],
      },
      configuration: { return_immediately: true, task_push_notification_config: { url: 'u', task_id: 't' } },
      metadata: { snake_case: 1 },
    };
    expect(decode('SendMessage', params)).toEqual({
      message: { messageId: 'm', role: 'ROLE_USER', contextId: 'c', parts: [{ data: { a_b: 1 }, mediaType: 'x/y' }] },
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url: 'u', taskId: 't' } },
      metadata: { snake_case: 1 },
    });
  });

  it('prefers the JSON name when both are present', () => {
    expect(decode('GetTask', { history_length: 1, historyLength: 2, id: 't' })).toEqual({ historyLength: 2, id: 't' });
  });

  it('A2A-JSON-02: accepts enum numbers and leaves unknown ones to validation', () => {
    expect(decode('SendMessage', { message: { ...message, role: 1 } })).toMatchObject({
      message: { role: 'ROLE_USER' },
    });
    expect(decode('ListTasks', { status: 6 })).toEqual({ status: 'TASK_STATE_INPUT_REQUIRED' });
    expect(decode('ListTasks', { status: 99 })).toEqual({ status: 99 });
  });

  it('A2A-LIST-10: takes TASK_STATE_UNSPECIFIED as no filter', () => {
    expect(decode('ListTasks', { status: 0, pageSize: 5 })).toEqual({ pageSize: 5 });
  });

  it('A2A-JSON-04, TRAP-45: leaves unknown fields', () => {
    expect(decode('GetTask', { id: 't', newField: { x: 1 } })).toEqual({ id: 't', newField: { x: 1 } });
  });

  it('A2A-JSON-07: takes null as unset, but data null as a value', () => {
    const params = {
      message: { ...message, contextId: null, parts: [{ data: null, text: null }] },
      configuration: null,
    };
    expect(decode('SendMessage', params)).toEqual({ message: { ...message, parts: [{ data: null }] } });
  });

  it('A2A-JSON-07: takes the defaults of proto3 as unset, but not those of members with presence (M2)', () => {
    const printed = {
      tenant: '',
      message: {
        messageId: 'm',
        contextId: '',
        taskId: '',
        role: 'ROLE_USER',
        parts: [{ text: '', metadata: {}, filename: '', mediaType: '' }],
        metadata: {},
        extensions: [],
        referenceTaskIds: [],
      },
      configuration: { acceptedOutputModes: [], historyLength: 0, returnImmediately: false },
    };
    expect(decode('SendMessage', printed)).toEqual({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: '', metadata: {} }], metadata: {} },
      configuration: { historyLength: 0, returnImmediately: false },
    });
    expect(decode('ListTasks', { contextId: '', status: '', pageToken: '', pageSize: 0 })).toEqual({ pageSize: 0 });
    expect(decode('ListTaskPushNotificationConfigs', { taskId: 't', pageSize: 0, pageToken: '' })).toEqual({
      taskId: 't',
    });
    expect(decode('SendMessage', { message: { ...message, role: 'ROLE_UNSPECIFIED' } })).toEqual({
      message: { messageId: 'm', parts: message.parts },
    });
  });

  it.each([
    ['+/8=', '+/8='],
    ['-_8', '+/8='],
    ['-_8=', '+/8='],
    ['QUJD', 'QUJD'],
    ['QQ', 'QQ=='],
    ['', ''],
    ['not base64!', 'not base64!'],
    ['QUJDR', 'QUJDR'],
  ])('A2A-JSON-08: reads base64 %j as %j', (raw, expected) => {
    expect(decode('SendMessage', { message: { ...message, parts: [{ raw }] } })).toEqual({
      message: { ...message, parts: [{ raw: expected }] },
    });
  });

  it('reads integers that ProtoJSON writes as strings, and no other string', () => {
    expect(decode('ListTasks', { pageSize: '20' })).toEqual({ pageSize: 20 });
    expect(decode('ListTasks', { pageSize: '2.5' })).toEqual({ pageSize: '2.5' });
  });

  it('V02-16: accepts the names of the release candidate', () => {
    const configuration = { blocking: false, pushNotificationConfig: { url: 'u' } };
    expect(decode('SendMessage', { message, configuration })).toEqual({
      message,
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url: 'u' } },
    });
    expect(decode('SendMessage', { message, configuration: { blocking: false, returnImmediately: false } })).toEqual({
      message,
      configuration: { returnImmediately: false },
    });
    const created = { taskId: 't', configId: 'c', config: { url: 'u', token: 'x' } };
    expect(decode('CreateTaskPushNotificationConfig', created)).toEqual({ taskId: 't', id: 'c', url: 'u', token: 'x' });
  });

  it('A2A-RPC-06: points senders of older messages to the method of their version', () => {
    const older = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };
    expect(() => decode('SendMessage', { message: older })).toThrow(
      expect.objectContaining({ kind: 'InvalidParams', message: expect.stringContaining('message/send') }),
    );
    // Unknown but harmless members of 1.0 are left alone.
    expect(decode('SendMessage', { message: { ...older, role: 'ROLE_USER' } })).toEqual({
      message: { ...older, role: 'ROLE_USER' },
    });
  });

  it('takes absent params as empty (§9.4.8)', () => {
    expect(decode('GetExtendedAgentCard', undefined)).toEqual({});
  });

  it('leaves wrong types to validation', () => {
    expect(decode('SendMessage', { message: 'hello' })).toEqual({ message: 'hello' });
    expect(decode('SendMessage', { message: { ...message, parts: 'x' } })).toMatchObject({ message: { parts: 'x' } });
  });
});

describe('codecV1 output', () => {
  const text = '{"task":{"id":"t","big":12345678901234567890}}';
  const call = { method: 'SendMessage', params: {} };

  it('A2A-JSON-09: passes stored text through, results and events alike', () => {
    expect(codecV1.encodeResult('SendMessage', Json.ofText(text), call)).toBe(text);
    expect(codecV1.streamEncoder('SendStreamingMessage', call)(Json.ofText(text))).toEqual([text]);
  });

  it.each(A2A_ERROR_NAMES)('A2A-RPC-08: writes %s with its code and ErrorInfo', (kind) => {
    const written = codecV1.encodeError(new A2AError(kind, 'why', { metadata: { a: 'b' } }));
    expect(written.code).toBe(RPC_CODES_V1[kind]);
    expect(written.message).toBe('why');
    expect(written.data).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: expect.stringMatching(/^[A-Z_]+$/),
        domain: 'a2a-protocol.org',
        metadata: { a: 'b' },
      },
    ]);
  });

  it('A2A-RPC-06: names the wrong fields in a BadRequest', () => {
    const violations = [{ field: 'message.parts', description: 'must not be empty' }];
    expect(codecV1.encodeError(invalidParams(violations))).toMatchObject({
      code: -32602,
      data: [
        { reason: 'INVALID_PARAMS' },
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
      ],
    });
  });

  it('A2A-ERR-06: says when to try again', () => {
    const written = codecV1.encodeError(new A2AError('RateLimited', 'Too many requests', { retryAfterSeconds: 3 }));
    expect(written.data).toContainEqual({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' });
  });
});
