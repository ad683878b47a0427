import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { service as Health } from 'grpc-health-check';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

let running: RunningApp;
let v1: GrpcClient;
let v03: GrpcClient;

const NO_TASK = '00000000-0000-4000-8000-000000000000';
const PDF = Buffer.from('%PDF-1.4 ☃');
const COMPLETED = 3;
const CANCELED = 5;

/** A message for a skill, as the SDK's codec has it. */
function send(text: string, skillId: string, configuration?: object): object {
  const parts = [{ content: { $case: 'text', value: text }, filename: '', mediaType: '' }];
  const message = { messageId: randomUUID(), contextId: '', taskId: '', role: 1, parts, metadata: { skillId } };
  return { tenant: '', message: { ...message, extensions: [], referenceTaskIds: [] }, configuration };
}

function atOnce(text: string, skillId: string): object {
  return send(text, skillId, { acceptedOutputModes: [], returnImmediately: true });
}

async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason as ServiceError,
  );
  if (error === undefined) throw new Error('The call succeeded');
  return error;
}

function reasonOf(error: ServiceError): { reason: string; domain: string; metadata: Record<string, string> } {
  const [bytes] = error.metadata.get(GRPC_STATUS_DETAILS_BIN);
  const [info] = decodeStatus(bytes as Buffer).details;
  return decodeErrorInfo(info!.value);
}

describe('grpc', () => {
  beforeAll(async () => {
    running = await runApp({ GRPC_PORT: '0' });
    v1 = new GrpcClient(running.grpc ?? '', A2AService, { 'a2a-version': '1.0' });
    v03 = new GrpcClient(running.grpc ?? '', LegacyA2AService);
  });

  afterAll(async () => {
    v1.close();
    v03.close();
    await running.close();
  });

  describe('gRPC 1.0', () => {
    it('sends, gets, lists: the same facts as JSON-RPC (A2A-GRPC-01, A2A-GRPC-04, TCK-07)', async () => {
      const { payload } = await v1.call('sendMessage', send('hello', 'echo'));
      expect(payload).toMatchObject({ $case: 'task', value: { status: { state: COMPLETED } } });
      const { id, contextId } = payload.value;
      expect(await v1.call('getTask', { tenant: '', id })).toEqual(payload.value);
      const listed = await v1.call('listTasks', { tenant: '', contextId, status: 0, pageToken: '' });
      expect(listed).toMatchObject({ tasks: [{ id }], totalSize: 1, pageSize: 50, nextPageToken: '' });
      const rpc = new DialectClient(running.url, { 'a2a-version': '1.0' });
      const task = await rpc.result('GetTask', { id });
      expect(task).toMatchObject({ id, contextId, artifacts: [{ parts: [{ text: 'hello' }] }] });
      expect(payload.value.artifacts[0].parts[0].content).toEqual({ $case: 'text', value: 'hello' });
    });

    it('streams until the task is finished (A2A-STRM-03)', async () => {
      const events = await v1.stream('sendStreamingMessage', send('x', 'echo')).toArray();
      expect(events[0].payload.$case).toBe('task');
      expect(events.at(-1).payload).toMatchObject({ $case: 'statusUpdate', value: { status: { state: COMPLETED } } });
    });

    it('subscribes, and cancels the task but not by leaving (A2A-STRM-06)', async () => {
      const { payload } = await v1.call('sendMessage', atOnce('30', 'countdown'));
      const { id } = payload.value;
      const leaver = v1.stream('subscribeToTask', { tenant: '', id });
      leaver.on('error', () => undefined);
      await once(leaver, 'data');
      leaver.cancel();
      const stream = v1.stream('subscribeToTask', { tenant: '', id }).toArray();
      await eventually(async () => {
        expect((await v1.call('getTask', { tenant: '', id })).artifacts).not.toHaveLength(0);
      });
      expect((await v1.call('cancelTask', { tenant: '', id })).status.state).toBe(CANCELED);
      expect((await stream).at(-1).payload.value.status.state).toBe(CANCELED);
    });

    it.each([
      ['getTask', { tenant: '', id: NO_TASK }, status.NOT_FOUND, 'TASK_NOT_FOUND'],
      ['cancelTask', { tenant: '', id: NO_TASK }, status.NOT_FOUND, 'TASK_NOT_FOUND'],
      ['getTask', { tenant: 'other', id: NO_TASK }, status.INVALID_ARGUMENT, 'INVALID_PARAMS'],
      ['sendMessage', { tenant: '' }, status.INVALID_ARGUMENT, 'INVALID_PARAMS'],
      ['listTasks', { tenant: '', pageToken: '', status: 0, pageSize: 0 }, status.INVALID_ARGUMENT, 'INVALID_PARAMS'],
      ['getExtendedAgentCard', { tenant: '' }, status.FAILED_PRECONDITION, 'UNSUPPORTED_OPERATION'],
      ['getTaskPushNotificationConfig', { tenant: '', taskId: NO_TASK, id: 'a' }, status.NOT_FOUND, 'TASK_NOT_FOUND'],
    ])('refuses %s %j with details in the trailers (A2A-GRPC-03)', async (method, request, code, reason) => {
      const error = await failureOf(v1.call(method, request));
      expect(error.code).toBe(code);
      expect(reasonOf(error)).toMatchObject({ reason, domain: 'a2a-protocol.org' });
    });

    it('refuses a stream of an unknown task before its first message (A2A-STRM-12)', async () => {
      const error = await failureOf(v1.stream('subscribeToTask', { tenant: '', id: NO_TASK }).toArray());
      expect(error.code).toBe(status.NOT_FOUND);
    });

    it('refuses another version (A2A-GRPC-02, DISP-03, DISP-05)', async () => {
      const client = new GrpcClient(running.grpc ?? '', A2AService, { 'a2a-version': '0.3' });
      const error = await failureOf(client.call('getTask', { tenant: '', id: NO_TASK }));
      expect(reasonOf(error)).toMatchObject({
        reason: 'VERSION_NOT_SUPPORTED',
        metadata: { supportedVersions: '1.0' },
      });
      client.close();
    });

    it('refuses bytes that are no message', async () => {
      const method = { ...A2AService.getTask, requestSerialize: (bytes: Buffer) => bytes };
      const client = new GrpcClient(running.grpc ?? '', { getTask: method });
      const error = await failureOf(client.call('getTask', Buffer.from('ff', 'hex')));
      expect(reasonOf(error).reason).toBe('INVALID_REQUEST');
      client.close();
    });

    it('refuses a message that is too large', async () => {
      const error = await failureOf(v1.call('sendMessage', send('x'.repeat(2 * 1024 * 1024), 'echo')));
      expect(reasonOf(error).reason).toBe('REQUEST_TOO_LARGE');
    });
  });

  describe('gRPC 0.3', () => {
    /** A message for a skill, as the SDK's codec of 0.3 has it. */
    function send03(text: string, skillId: string): object {
      const content = [{ part: { $case: 'text', value: text } }];
      const request = { messageId: randomUUID(), contextId: '', taskId: '', role: 1, content, metadata: { skillId } };
      const configuration = { acceptedOutputModes: [], pushNotification: undefined, historyLength: 0, blocking: true };
      return { request: { ...request, extensions: [] }, configuration };
    }

    it('sends and gets by resource name (A2A-GRPC-06)', async () => {
      const { payload } = await v03.call('sendMessage', send03('hello', 'echo'));
      expect(payload).toMatchObject({ $case: 'task', value: { status: { state: COMPLETED } } });
      const task = await v03.call('getTask', { name: `tasks/${payload.value.id}`, historyLength: 0 });
      expect(task.artifacts[0].parts[0].part).toEqual({ $case: 'text', value: 'hello' });
      expect(task.history[0].content[0].part.value).toBe('hello');
    });

    it.each([
      ['grpc-python-asyncio/1.74.0', Buffer.from(PDF.toString('base64'))],
      ['', PDF],
    ])('reads and writes files as the SDK behind "%s" has them (conformance C4)', async (agent, bytes) => {
      const client = new GrpcClient(running.grpc ?? '', LegacyA2AService, {}, agent);
      const asked = send03('', 'echo') as { request: { content: unknown } };
      const file = { file: { $case: 'fileWithBytes', value: bytes }, mimeType: 'application/pdf' };
      asked.request.content = [{ part: { $case: 'file', value: file } }];
      const { payload } = await client.call('sendMessage', asked);
      expect(Buffer.from(payload.value.artifacts[0].parts[0].part.value.file.value)).toEqual(bytes);
      const read = await v1.call('getTask', { tenant: '', id: payload.value.id });
      expect(Buffer.from(read.artifacts[0].parts[0].content.value)).toEqual(PDF);
      client.close();
    });

    it('streams with final on the last event', async () => {
      const events = await v03.stream('sendStreamingMessage', send03('x', 'echo')).toArray();
      expect(events.at(-1).payload).toMatchObject({ $case: 'statusUpdate', value: { final: true } });
    });

    it('refuses as 1.0 does (A2A-ERR-02)', async () => {
      const error = await failureOf(v03.call('getTask', { name: `tasks/${NO_TASK}`, historyLength: 0 }));
      expect(error.code).toBe(status.NOT_FOUND);
      const wrong = await failureOf(v03.call('cancelTask', { name: 'task/x' }));
      expect(wrong.code).toBe(status.INVALID_ARGUMENT);
    });
  });

  describe('the gRPC server', () => {
    it('tells its health', async () => {
      const client = new GrpcClient(running.grpc ?? '', Health);
      expect(await client.call('check', { service: 'lf.a2a.v1.A2AService' })).toEqual({ status: 'SERVING' });
      expect(await client.call('check', { service: '' })).toEqual({ status: 'SERVING' });
      client.close();
    });

    it.each(['grpc.reflection.v1', 'grpc.reflection.v1alpha'])(
      'describes itself, health and details of errors by %s (A2A-GRPC-06, C9)',
      async (name) => {
        const asItIs = (bytes: Buffer): Buffer => bytes;
        const channel = new Client(running.grpc ?? '', credentials.createInsecure());
        const path = `/${name}.ServerReflection/ServerReflectionInfo`;
        const stream = channel.makeBidiStreamRequest(path, asItIs, asItIs);
        // Field 7 asks for the list of services, field 4 for the file that has a symbol.
        stream.write(Buffer.from([0x3a, 0x00]));
        for (const wanted of ['lf.a2a.v1.A2AService', 'grpc.health.v1.Health', 'google.rpc.ErrorInfo']) {
          const symbol = Buffer.from(wanted);
          stream.write(Buffer.concat([Buffer.from([0x22, symbol.length]), symbol]));
        }
        stream.end();
        const [services, ...files] = (await stream.toArray()).map(String);
        expect(services).toContain('lf.a2a.v1.A2AService');
        expect(services).toContain('grpc.health.v1.Health');
        expect(files).toEqual(
          ['reference_task_ids', 'NOT_SERVING', 'reason'].map((text) => expect.stringContaining(text)),
        );
        channel.close();
      },
    );
  });
});
