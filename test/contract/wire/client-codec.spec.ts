import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Json } from '@parley/protocol/model/json.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { clientCodecOf } from '@parley/protocol/versions/client-codecs.js';
import { readEvent, readReply, readTask } from '@parley/protocol/remote/read-remote.js';
import { rpcFault, restFault } from '@parley/protocol/remote/remote-fault.js';
import { codecV03 } from '@parley/protocol/v0_3/codec.js';
import { clientCodecV03 } from '@parley/protocol/v0_3/client-codec.js';
import { codecV1 } from '@parley/protocol/v1_0/codec.js';
import { clientCodecV1 } from '@parley/protocol/v1_0/client-codec.js';
import { A2A_ERROR_NAMES, A2AError } from '@parley/protocol/model/errors.js';
import { restErrorV1 } from '@parley/protocol/v1_0/rest-errors.js';
import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import { events, messages, tasks } from './arbitraries.js';

fc.configureGlobal({ numRuns: 40 });

const written = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonObject;
/** A value with empty lists and texts left out, as a reader of ProtoJSON sees it. */
const plain = (event: unknown): unknown => clientCodecV1.decodeEvent(written(event));

describe.each([
  [codecV1, clientCodecV1, '1.0'],
  [codecV03, clientCodecV03, '0.3'],
])('client and server codec of one version', (server, client, version) => {
  it(`DISP-12: a message sent in ${version} arrives whole`, () => {
    fc.assert(
      fc.property(messages, fc.boolean(), (message, returnImmediately) => {
        const configuration = { returnImmediately, acceptedOutputModes: ['text/plain'], historyLength: 0 };
        const call = client.encodeCall('SendMessage', { message, configuration, metadata: { a: 1 } });
        const wire = { method: call.method, params: written(call.params) };
        expect(server.operationOf(wire.method, wire.params)).toBe('SendMessage');
        expect(server.decodeParams('SendMessage', wire)).toEqual({
          ...{ message, metadata: { a: 1 } },
          configuration: { acceptedOutputModes: ['text/plain'], historyLength: 0, returnImmediately },
        });
      }),
    );
  });

  it(`DISP-12: tasks and events sent in ${version} are read whole`, () => {
    const call = client.encodeCall('SendStreamingMessage', {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [] },
    });
    fc.assert(
      fc.property(events, (event) => {
        const [text = ''] = server.streamEncoder('SendStreamingMessage', call)(Json.of(event));
        expect(plain(readEvent(client.decodeEvent(JSON.parse(text))))).toEqual(plain(event));
      }),
    );
    fc.assert(
      fc.property(tasks, (task) => {
        const text = server.encodeResult('GetTask', Json.of(task), client.encodeCall('GetTask', { id: task.id }));
        const read = readTask(client.decodeResult('GetTask', JSON.parse(text)));
        expect(plain({ task: read })).toEqual(plain({ task }));
      }),
    );
  });

  it.each([
    ['GetTask', { id: 't', historyLength: 3 }],
    ['CancelTask', { id: 't', metadata: { why: 'x' } }],
    ['SubscribeToTask', { id: 't' }],
    ['GetTaskPushNotificationConfig', { taskId: 't', id: 'c' }],
    ['ListTaskPushNotificationConfigs', { taskId: 't' }],
    ['DeleteTaskPushNotificationConfig', { taskId: 't', id: 'c' }],
    ['CreateTaskPushNotificationConfig', { taskId: 't', id: 'c', url: 'https://a.example/', token: 'x' }],
  ] as const)(`%s of ${version} is understood as it was meant`, (operation, params) => {
    const call = client.encodeCall(operation, params);
    const wire = { method: call.method, params: written(call.params) };
    expect(server.operationOf(wire.method, wire.params)).toBe(operation);
    expect(server.decodeParams(operation, wire)).toEqual(params);
  });

  it(`every error of ${version} is recognised by its code or reason`, () => {
    for (const name of A2A_ERROR_NAMES) {
      const read = rpcFault(written(server.encodeError(new A2AError(name, 'why', { retryAfterSeconds: 2 }))));
      expect(read).toMatchObject({ kind: name, message: 'why', retryAfterMs: 2000 });
    }
  });
});

describe('what an agent sends', () => {
  it('a direct message is read, whichever version it is in', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } as const;
    const old = JSON.parse(codecV03.encodeResult('SendMessage', Json.of({ message }), { method: '', params: {} }));
    expect(readReply(clientCodecV03.decodeResult('SendMessage', old))).toEqual({ message });
    expect(readReply(clientCodecV1.decodeResult('SendMessage', { message }))).toEqual({ message });
  });

  it('A2ACLI_TASK_POLL_003: a task without a known state is neither ended nor interrupted', () => {
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_UNSPECIFIED' } };
    expect(readTask(clientCodecV1.decodeResult('GetTask', task)).status.state).toBe('TASK_STATE_UNSPECIFIED');
    const older = { kind: 'task', id: 't', contextId: 'c', status: { state: 'unknown' } };
    expect(readTask(clientCodecV03.decodeResult('GetTask', older)).status.state).toBe('TASK_STATE_UNSPECIFIED');
  });

  it.each([
    ['no object', 7],
    ['no id', { status: { state: 'TASK_STATE_WORKING' } }],
    ['no status', { id: 't' }],
    ['a made-up state', { id: 't', status: { state: 'TASK_STATE_HAPPY' } }],
    ['artifacts that are no list', { id: 't', status: { state: 'TASK_STATE_WORKING' }, artifacts: {} }],
    ['a part of two kinds', taskWith({ text: 'a', url: 'b' })],
    ['a part of no kind', taskWith({})],
    ['a part whose text is a number', taskWith({ text: 1 })],
    ['metadata that is a list', { id: 't', status: { state: 'TASK_STATE_WORKING' }, metadata: [] }],
  ])('a task with %s is an invalid answer', (_what, value) => {
    expect(() => readTask(value)).toThrow(expect.objectContaining({ kind: 'InvalidAgentResponse' }));
  });

  it('an error of HTTP+JSON is recognised, and a page of HTML is none', () => {
    for (const name of A2A_ERROR_NAMES) {
      const status = REST_HTTP_STATUS[name];
      const fault = restFault(written(restErrorV1(new A2AError(name, 'why'))), status);
      // Over HTTP these are all a 400 of the same reason.
      const known = name === 'ParseError' || name === 'InvalidRequest' ? 'InvalidParams' : name;
      expect(fault?.kind).toBe(known);
    }
    expect(restFault('<html>', 502)).toBeUndefined();
    expect(restFault({ code: -32001, message: 'gone' }, 404)).toMatchObject({ kind: 'TaskNotFound', message: 'gone' });
  });

  it('A2A-VER-01: versions are matched by major and minor', () => {
    expect(['1.0', '1.0.1', '0.3.0', 'v0.3', '1', '2.0', ''].map((one) => clientCodecOf(one)?.version)).toEqual([
      ...['1.0', '1.0', '0.3', '0.3', '1.0', undefined, undefined],
    ]);
  });
});

function taskWith(part: object): object {
  return { id: 't', status: { state: 'TASK_STATE_WORKING' }, artifacts: [{ artifactId: 'a', parts: [part] }] };
}
