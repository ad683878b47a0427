import { expect, it } from '@jest/globals';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { runApp } from '../../kit/app/running-app.js';

it('never repeats a webhook-id, also when a client of 0.1 uses the name of a task again (L7, D01-01)', async () => {
  const receiver = await new Receiver().listen();
  const running = await runApp({
    KEEP_FINISHED_SECONDS: '1',
    EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
  });
  try {
    const client = new DialectClient(running.url);
    const send = async (text: string): Promise<void> => {
      const message = { role: 'user', parts: [{ type: 'text', text }], metadata: { skillId: 'echo' } };
      await client.result('tasks/send', { id: 'my-task', message, pushNotification: { url: receiver.url } });
    };
    await send('first');
    await eventually(() => expect(receiver.received.map(({ body }) => body).join()).toContain('completed'));
    const first = receiver.received.map(({ headers }) => headers['webhook-id']);

    await eventually(async () => expect((await client.call('tasks/get', { id: 'my-task' })).error?.code).toBe(-32001), {
      timeoutMs: 20_000,
      intervalMs: 200,
    });
    receiver.received.length = 0;
    await send('second');
    await eventually(() => expect(receiver.received.map(({ body }) => body).join()).toContain('completed'));

    const second = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(second.filter((id) => first.includes(id))).toEqual([]);
  } finally {
    await running.close();
    await receiver.close();
  }
}, 60_000);
