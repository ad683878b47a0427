import { randomUUID } from 'node:crypto';
import { type AgentCard, Role, SendMessageRequest, type Task, TaskState, verifyAgentCardSignature } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { collect } from '../../kit/callers/collect.js';
import { eventually } from '../../kit/run/eventually.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

let running: RunningApp;

const NO_TASK = '00000000-0000-4000-8000-000000000000';

function send(text: string, skillId: string, rest: object = {}): SendMessageRequest {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata: { skillId } };
  return SendMessageRequest.fromJSON({ message, ...rest });
}

/** A task that works for a while. */
async function slow(client: Client): Promise<Task> {
  const request = send('30', 'countdown', { configuration: { returnImmediately: true } });
  return (await client.sendMessage(request)) as Task;
}

/** The names of the error that a stream fails with, and of its cause: in an event, the SDK puts the class there. */
async function errorsOf(stream: AsyncIterable<unknown>): Promise<string> {
  try {
    await collect(stream);
  } catch (error) {
    if (error instanceof Error) return error.cause instanceof Error ? `${error.name} ${error.cause.name}` : error.name;
  }
  return 'none';
}

describe('sdk v1', () => {
  beforeAll(async () => {
    running = await runApp({ GRPC_PORT: '0' });
  });

  beforeEach(() => {
    // The SDK writes down every signature that it could not use.
    jest.spyOn(console, 'debug').mockImplementation(() => undefined);
  });

  afterAll(async () => {
    await running.close();
  });

  describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('@a2a-js/sdk 1.x on %s', (binding) => {
    let client: Client;

    beforeAll(async () => {
      const factory = new ClientFactory({
        transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
        preferredTransports: [binding],
      });
      client = await factory.createFromUrl(running.url);
    });

    it('chooses 1.0 from the card (A2A-VER-02)', () => {
      expect(client.protocolVersion).toBe('1.0');
      expect(client.transport.protocolName).toBe(binding);
    });

    it('sends, gets and lists (A2A-SEND-01, A2A-GET-01, A2A-LIST-01)', async () => {
      const task = (await client.sendMessage(send('hello', 'echo'))) as Task;
      expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(task.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'hello' });
      expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
      expect((await client.getTask({ tenant: '', id: task.id, historyLength: 0 })).history).toEqual([]);
      const listed = await client.listTasks({
        ...{ tenant: '', contextId: task.contextId, status: TaskState.TASK_STATE_UNSPECIFIED },
        ...{ pageToken: '', statusTimestampAfter: undefined },
      });
      expect(listed).toMatchObject({ tasks: [{ id: task.id }], totalSize: 1, nextPageToken: '' });
    });

    it('continues a context, and is refused another message for a finished task (A2A-SEND-06, A2A-SEND-10)', async () => {
      const contextId = randomUUID();
      const message = { messageId: randomUUID(), role: Role.ROLE_USER, parts: [{ text: 'x' }], contextId };
      const task = (await client.sendMessage(SendMessageRequest.fromJSON({ message }))) as Task;
      expect(task.contextId).toBe(contextId);
      const more = { messageId: randomUUID(), role: Role.ROLE_USER, parts: [{ text: 'x' }], taskId: task.id };
      await expect(client.sendMessage(SendMessageRequest.fromJSON({ message: more }))).rejects.toMatchObject({
        name: expect.stringContaining('UnsupportedOperation'),
      });
    });

    it('streams: the task, then updates, until it is finished (A2A-STRM-02, A2A-STRM-03)', async () => {
      const events = await collect(client.sendMessageStream(send('x', 'echo')));
      expect(events[0]?.payload?.$case).toBe('task');
      expect(events.slice(1).map((event) => event.payload?.$case)).toContain('artifactUpdate');
      expect(events.at(-1)?.payload).toMatchObject({
        $case: 'statusUpdate',
        value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
      });
    });

    it('resubscribes, and cancels (A2A-STRM-08, A2A-CANC-01, A2A-CANC-05)', async () => {
      const { id } = await slow(client);
      const events = collect(client.resubscribeTask({ tenant: '', id }));
      await eventually(async () => {
        expect((await client.getTask({ tenant: '', id })).artifacts).not.toHaveLength(0);
      });
      const canceled = await client.cancelTask({ tenant: '', id, metadata: undefined });
      expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      const seen = await events;
      expect(seen[0]?.payload).toMatchObject({ $case: 'task', value: { id } });
      expect(seen.at(-1)?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_CANCELED } } });
      await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toMatchObject({
        name: expect.stringContaining('TaskNotCancelable'),
      });
      expect(await errorsOf(client.resubscribeTask({ tenant: '', id }))).toMatch(/UnsupportedOperation/);
    });

    it('keeps webhooks of a task, and deletes one twice (A2A-PCFG-02 … -07, A2A-IDEM-01)', async () => {
      const { id: taskId } = (await client.sendMessage(send('x', 'echo'))) as Task;
      const config = {
        tenant: '',
        id: '',
        taskId,
        url: 'https://example.com/hook',
        token: 't',
        authentication: undefined,
      };
      const created = await client.createTaskPushNotificationConfig(config);
      expect(created).toMatchObject({ taskId, url: config.url, id: expect.stringMatching(/.+/) });
      const named = await client.createTaskPushNotificationConfig({ ...config, id: 'mine' });
      expect(named.id).toBe('mine');
      const { id } = created;
      expect(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id })).toMatchObject({ id, taskId });
      const list = { tenant: '', taskId, pageSize: 0, pageToken: '' };
      const { configs } = await client.listTaskPushNotificationConfig(list);
      expect(configs.map((it) => it.id).sort()).toEqual([id, 'mine'].sort());
      await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id });
      await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id });
      await expect(client.getTaskPushNotificationConfig({ tenant: '', taskId, id })).rejects.toMatchObject({
        name: expect.stringContaining('TaskNotFound'),
      });
    });

    it('is told that a task is not there (A2A-GET-01, A2A-ERR-02)', async () => {
      await expect(client.getTask({ tenant: '', id: NO_TASK })).rejects.toMatchObject({
        name: expect.stringContaining('TaskNotFound'),
      });
      expect(await errorsOf(client.resubscribeTask({ tenant: '', id: NO_TASK }))).toMatch(/TaskNotFound/);
    });
  });

  describe('the SDK reader of cards', () => {
    it('verifies the card that it resolves (A2A-SIGN-02)', async () => {
      const card: AgentCard = await new DefaultAgentCardResolver().resolve(running.url);
      const { keys } = JSON.parse(await (await fetch(`${running.url}/.well-known/jwks.json`)).text());
      const verify = verifyAgentCardSignature(async (kid) => keys.find((key: { kid: string }) => key.kid === kid));
      await verify(card);
    });
  });
});
