import { describe, expect, it } from '@jest/globals';
import { A2AError } from '../../model/errors.js';
import type { OperationName } from '../../model/operations.js';
import type { Task } from '../../model/task.js';
import { decodeRestV03, encodeRestEventV03, encodeRestV03, type RestCallV03 } from './codec.js';

const decode = (operation: OperationName, call: Partial<RestCallV03>) =>
  decodeRestV03(operation, { taskId: '', configId: '', query: {}, body: undefined, files: 'bytes', ...call });

const task: Task = {
  id: 't',
  contextId: 'c',
  status: {
    state: 'TASK_STATE_CANCELED',
    timestamp: 'T',
    message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'bye' }], referenceTaskIds: ['x'] },
  },
  artifacts: [
    {
      artifactId: 'a',
      parts: [
        { raw: 'QQ==', mediaType: 'image/png', filename: 'a.png' },
        { url: 'https://example.com/x' },
        { data: { n: 1 } },
        { data: null },
      ],
    },
  ],
};
const protoTask = {
  id: 't',
  contextId: 'c',
  status: {
    state: 'TASK_STATE_CANCELLED',
    timestamp: 'T',
    message: { messageId: 'm', role: 'ROLE_AGENT', content: [{ text: 'bye' }] },
  },
  artifacts: [
    {
      artifactId: 'a',
      parts: [
        { file: { fileWithBytes: 'QQ==', mimeType: 'image/png', name: 'a.png' } },
        { file: { fileWithUri: 'https://example.com/x' } },
        { data: { data: { n: 1 } } },
        { data: { data: { value: null } }, metadata: { data_part_compat: true } },
      ],
    },
  ],
};

describe(decodeRestV03.name, () => {
  it('5.3: reads the proto form, with `request` and snake_case too', () => {
    const message = {
      message_id: 'm',
      context_id: 'c',
      role: 'ROLE_USER',
      content: [
        { text: 'hi' },
        { file: { file_with_bytes: 'QQ', mime_type: 'image/png' } },
        { file: { fileWithUri: 'https://example.com' } },
        { data: { data: { n: 1 } } },
      ],
    };
    const configuration = { accepted_output_modes: ['text/plain'], push_notification: { url: 'u' }, history_length: 2 };
    expect(decode('SendMessage', { body: { request: message, configuration } })).toEqual({
      message: {
        messageId: 'm',
        contextId: 'c',
        role: 'ROLE_USER',
        parts: [
          { text: 'hi' },
          { raw: 'QQ==', mediaType: 'image/png' },
          { url: 'https://example.com' },
          { data: { n: 1 } },
        ],
      },
      configuration: {
        acceptedOutputModes: ['text/plain'],
        historyLength: 2,
        returnImmediately: true,
        taskPushNotificationConfig: { url: 'u' },
      },
    });
  });

  it('takes the defaults of proto3 as unset (M2)', () => {
    const message = {
      messageId: 'm',
      contextId: '',
      taskId: '',
      role: 'ROLE_USER',
      content: [{ file: { fileWithBytes: 'QQ==', name: '', mimeType: '' } }],
      extensions: [],
    };
    const configuration = { acceptedOutputModes: [], pushNotification: { id: '', url: 'u', token: '' } };
    expect(decode('SendMessage', { body: { message, configuration } })).toEqual({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: 'QQ==' }] },
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url: 'u' } },
    });
    const config = { taskId: '', configId: '', config: { pushNotificationConfig: { id: '', url: 'u' } } };
    expect(decode('CreateTaskPushNotificationConfig', { taskId: 't', body: config })).toEqual({
      ...{ id: 't', taskId: 't', url: 'u' },
    });
  });

  it('5.3: does not unwrap data that has a kind', () => {
    const parts = [{ kind: 'data', data: { data: { n: 1 } } }];
    expect(decode('SendMessage', { body: { message: { parts } } })).toEqual({
      message: { parts: [{ data: { data: { n: 1 } } }] },
    });
  });

  it('TRAP-63: waits without a configuration, and in one only on request', () => {
    const configured = (configuration: unknown) => decode('SendMessage', { body: { configuration } }).configuration;
    expect(configured(undefined)).toBeUndefined();
    expect(configured({})).toEqual({ returnImmediately: true });
    expect(configured({ blocking: false })).toEqual({ returnImmediately: true });
    expect(configured({ blocking: true })).toEqual({ returnImmediately: false });
  });

  it('takes ids from the path and history length from the query, in both spellings', () => {
    expect(decode('GetTask', { taskId: 't', query: { historyLength: '0' } })).toEqual({ id: 't', historyLength: 0 });
    expect(decode('GetTask', { taskId: 't', query: { history_length: '5' } })).toEqual({ id: 't', historyLength: 5 });
    expect(decode('GetTaskPushNotificationConfig', { taskId: 't', configId: 'p' })).toEqual({ taskId: 't', id: 'p' });
    expect(decode('ListTaskPushNotificationConfigs', { taskId: 't' })).toEqual({ taskId: 't' });
    expect(decode('DeleteTaskPushNotificationConfig', { taskId: 't', configId: 'p' })).toEqual({
      taskId: 't',
      id: 'p',
    });
  });

  it('A2A-TEN-05: knows no tenant', () => {
    expect(decode('ListTasks', { query: { tenant: 'acme', pageSize: '5', status: '3' } })).toEqual({ pageSize: 5 });
  });

  it.each([undefined, null, {}, 'x'])('A2A-REST-06: accepts body %j on cancel and subscribe', (body) => {
    expect(decode('CancelTask', { taskId: 't', body })).toEqual({ id: 't' });
    expect(decode('SubscribeToTask', { taskId: 't', body })).toEqual({ id: 't' });
  });

  it.each([
    ['bare', { id: 'p', url: 'u' }],
    ['config', { config: { id: 'p', url: 'u' } }],
    ['configId', { parent: 'tasks/t', configId: 'p', config: { pushNotificationConfig: { url: 'u' } } }],
    ['task config', { taskId: 't', pushNotificationConfig: { id: 'p', url: 'u' } }],
    ['name', { config: { name: 'tasks/t/pushNotificationConfigs/p', push_notification_config: { url: 'u' } } }],
  ])('5.3: reads a push config in the form "%s"', (_name, body) => {
    expect(decode('CreateTaskPushNotificationConfig', { taskId: 't', body })).toEqual({
      taskId: 't',
      id: 'p',
      url: 'u',
    });
  });

  it('A2A-PCFG-09: refuses a push config for another task than the one of the path', () => {
    const body = { taskId: 'other', pushNotificationConfig: { url: 'u' } };
    expect(() => decode('CreateTaskPushNotificationConfig', { taskId: 't', body })).toThrow(A2AError);
  });
});

describe(encodeRestV03.name, () => {
  it('5.3: writes proto tasks, wrapped where the method has two answers', () => {
    expect(JSON.parse(encodeRestV03('GetTask', task, 'bytes'))).toEqual(protoTask);
    expect(JSON.parse(encodeRestV03('CancelTask', task, 'bytes'))).toEqual(protoTask);
    expect(JSON.parse(encodeRestV03('SendMessage', { task }, 'bytes'))).toEqual({ task: protoTask });
    const message = { messageId: 'm', role: 'ROLE_AGENT' as const, contextId: 'c', parts: [{ text: 'x' }] };
    expect(JSON.parse(encodeRestV03('SendMessage', { message }, 'bytes'))).toEqual({
      message: { messageId: 'm', role: 'ROLE_AGENT', contextId: 'c', content: [{ text: 'x' }] },
    });
  });

  it('5.3: lists tasks and push configs as objects', () => {
    const page = { tasks: [task], nextPageToken: '', pageSize: 50, totalSize: 1 };
    expect(JSON.parse(encodeRestV03('ListTasks', page, 'bytes'))).toEqual({ tasks: [protoTask], nextPageToken: '' });
    const config = { taskId: 't', id: 'p', url: 'u', authentication: { scheme: 'Bearer' } };
    const named = {
      name: 'tasks/t/pushNotificationConfigs/p',
      pushNotificationConfig: { id: 'p', url: 'u', authentication: { schemes: ['Bearer'] } },
    };
    expect(JSON.parse(encodeRestV03('CreateTaskPushNotificationConfig', config, 'bytes'))).toEqual(named);
    expect(JSON.parse(encodeRestV03('GetTaskPushNotificationConfig', config, 'bytes'))).toEqual(named);
    const configs = { configs: [config], nextPageToken: '' };
    expect(JSON.parse(encodeRestV03('ListTaskPushNotificationConfigs', configs, 'bytes'))).toEqual({
      configs: [named],
      nextPageToken: '',
    });
    expect(encodeRestV03('DeleteTaskPushNotificationConfig', {}, 'bytes')).toBe('{}');
  });
});

describe(encodeRestEventV03.name, () => {
  it('V03-FINAL: wraps events and marks the last', () => {
    const { status, id: taskId, contextId } = task;
    const statusUpdate = { taskId, contextId, status };
    expect(JSON.parse(encodeRestEventV03({ statusUpdate }, 'bytes'))).toEqual({
      statusUpdate: { taskId, contextId, status: protoTask.status, final: true },
    });
    const artifactUpdate = { taskId, contextId, artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, append: true };
    expect(JSON.parse(encodeRestEventV03({ artifactUpdate }, 'bytes'))).toEqual({ artifactUpdate });
    expect(JSON.parse(encodeRestEventV03({ task }, 'bytes'))).toEqual({ task: protoTask });
  });
});
