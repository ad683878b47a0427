import { randomUUID } from 'node:crypto';
import type { Message, MessageSendParams, Task } from 'a2a-sdk-v0-3';
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from 'a2a-sdk-v0-3/client';
import { GrpcTransportFactory } from 'a2a-sdk-v0-3/client/grpc';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { collect } from '../../kit/callers/collect.js';
import { eventually } from '../../kit/run/eventually.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

let running: RunningApp;

const NO_TASK = '00000000-0000-4000-8000-000000000000';

function send(text: string, skillId: string, blocking = true): MessageSendParams {
  const parts: Message['parts'] = [{ kind: 'text', text }];
  const message: Message = { kind: 'message', messageId: randomUUID(), role: 'user', parts, metadata: { skillId } };
  return { message, configuration: { blocking } };
}

describe('sdk v0 3', () => {
  beforeAll(async () => {
    running = await runApp({ GRPC_PORT: '0' });
  });

  afterAll(async () => {
    await running.close();
  });

  describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('@a2a-js/sdk 0.3 on %s', (binding) => {
    let client: Client;

    beforeAll(async () => {
      const factory = new ClientFactory({
        transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
        preferredTransports: [binding],
      });
      client = await factory.createFromUrl(running.url);
    });

    it('sends and gets', async () => {
      const task = (await client.sendMessage(send('hello', 'echo'))) as Task;
      expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' } });
      expect(task.artifacts?.[0]?.parts[0]).toMatchObject({ kind: 'text', text: 'hello' });
      expect(await client.getTask({ id: task.id })).toMatchObject({ id: task.id, contextId: task.contextId });
    });

    it('streams until the final event (V03-FINAL)', async () => {
      const events = await collect(client.sendMessageStream(send('x', 'echo')));
      expect(events[0]).toMatchObject({ kind: 'task' });
      expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
    });

    it('resubscribes, and cancels', async () => {
      const { id } = (await client.sendMessage(send('30', 'countdown', false))) as Task;
      const events = collect(client.resubscribeTask({ id }));
      await eventually(async () => {
        expect((await client.getTask({ id })).artifacts ?? []).not.toHaveLength(0);
      });
      expect((await client.cancelTask({ id })).status.state).toBe('canceled');
      expect((await events).at(-1)).toMatchObject({ kind: 'status-update', final: true });
      await expect(client.cancelTask({ id })).rejects.toThrow();
    });

    it('keeps webhooks of a task', async () => {
      const { id: taskId } = (await client.sendMessage(send('x', 'echo'))) as Task;
      const pushNotificationConfig = { id: 'mine', url: 'https://example.com/hook', token: 't' };
      const set = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
      expect(set.pushNotificationConfig).toMatchObject({ id: 'mine', url: pushNotificationConfig.url });
      const mine = { id: taskId, pushNotificationConfigId: 'mine' };
      const got = await client.getTaskPushNotificationConfig(mine);
      expect(got.pushNotificationConfig.url).toBe(pushNotificationConfig.url);
      expect(await client.listTaskPushNotificationConfig({ id: taskId })).toHaveLength(1);
      await client.deleteTaskPushNotificationConfig(mine);
      await expect(client.getTaskPushNotificationConfig(mine)).rejects.toThrow();
    });

    it('is told that a task is not there', async () => {
      await expect(client.getTask({ id: NO_TASK })).rejects.toThrow(/not found/i);
    });
  });
});
