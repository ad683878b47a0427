import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import { answer, Receiver } from '../../integration/webhooks/receiver.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const CALLER = 'caller.secret-of-a-caller';
const OPERATOR = 'operator.secret-of-an-operator';
const STRANGER = 'stranger.secret-of-another-tenant';

describe('webhooks for operators', () => {
  let receiver: Receiver;
  let running: RunningApp;
  let task: Task;

  beforeAll(async () => {
    receiver = await new Receiver(answer(410)).listen();
    running = await runApp({
      EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
      API_KEYS: [
        apiKeyEntry(CALLER, { tenant: 'acme', scopes: 'a2a:message.send,a2a:tasks.read,a2a:push.write,a2a:push.read' }),
        apiKeyEntry(OPERATOR, { tenant: 'acme', scopes: 'a2a:webhooks.operate' }),
        apiKeyEntry(STRANGER, { tenant: 'other', scopes: 'a2a:webhooks.operate,a2a:push.read' }),
      ].join('\n'),
    });
    task = await sendWithWebhook('c1');
  });
  afterAll(async () => {
    await running.close();
    await receiver.close();
  });

  async function call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    key: string,
    body?: object,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(running.url + path, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'a2a-version': '1.0' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async function sendWithWebhook(id: string): Promise<Task> {
    const params = {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] },
      configuration: { taskPushNotificationConfig: { id, url: receiver.url } },
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
    return ((await call('POST', '/', CALLER, body)).body.result as { task: Task }).task;
  }

  it('lists what was given up, to operators of the tenant only', async () => {
    await eventually(async () => {
      const { status, body } = await call('GET', '/webhooks/dead-letters?limit=5', OPERATOR);
      expect(status).toBe(200);
      expect(body.deadLetters).toMatchObject([
        { taskId: task.id, configId: 'c1', reason: 'http_410', scope: 'webhook' },
      ]);
    });
    expect((await call('GET', '/webhooks/dead-letters', STRANGER)).body).toEqual({ deadLetters: [] });
    expect((await call('GET', '/webhooks/dead-letters', CALLER)).status).toBe(403);
    expect((await call('POST', '/webhooks/redrive', CALLER, {})).status).toBe(403);
    expect((await call('GET', '/webhooks/dead-letters', 'nobody.knows')).status).toBe(401);
    expect((await call('GET', '/webhooks/dead-letters?limit=-1', OPERATOR)).status).toBe(400);
  });

  it('takes times of RFC 3339 and refuses all others: week dates and times without a zone would be NaN or local (L1, D10)', async () => {
    const listed = (query: string) => call('GET', `/webhooks/dead-letters?${query}`, OPERATOR);
    for (const name of ['since', 'until']) {
      for (const time of ['2020-W01-1', '2026-123', '20260101', '2026-01-31T08:00:00', 'yesterday']) {
        expect([name, time, (await listed(`${name}=${time}`)).status]).toEqual([name, time, 400]);
      }
    }
    const { body } = await listed('since=2020-01-01t00:00:00z');
    expect(body.deadLetters).toHaveLength(1);
    expect((await listed('until=2020-01-01T00:00:00%2B02:00')).body).toEqual({ deadLetters: [] });
  });

  it('shows the owner of a task, and nobody else, what became of its webhooks', async () => {
    const { body } = await call('GET', `/webhooks/attempts/${task.id}`, CALLER);
    expect(body).toMatchObject({
      attempts: [{ configId: 'c1', seq: 1, attempt: 1, outcome: 'stop', reason: 'http_410', status: 410 }],
      stopped: [{ configId: 'c1', reason: 'http_410' }],
    });
    expect((await call('GET', `/webhooks/attempts/${task.id}`, STRANGER)).status).toBe(404);
    expect((await call('GET', `/webhooks/attempts/${task.id}`, OPERATOR)).status).toBe(403);
  });

  it('shows a receiver and takes it back', async () => {
    const query = new URLSearchParams({ endpoint: receiver.url }).toString();
    const shown = async (): Promise<unknown> => (await call('GET', `/webhooks/endpoint?${query}`, OPERATOR)).body;
    // A 410 is about one webhook and says nothing of its receiver; a 503 does.
    expect(await shown()).toMatchObject({ failuresInARow: 0 });
    receiver.behave = answer(503);
    await sendWithWebhook('c2');
    await eventually(async () => expect(await shown()).toMatchObject({ failuresInARow: 1 }));
    const enabled = await call('POST', '/webhooks/endpoint/enable', OPERATOR, { endpoint: receiver.url });
    expect(enabled.body).toEqual({ failuresInARow: 0, underWay: 0 });
  });

  it('sends what was given up after all', async () => {
    receiver.behave = answer(200);
    const redriven = await call('POST', '/webhooks/redrive', OPERATOR, { endpoint: receiver.url, since: '2026-01-01' });
    expect(redriven.body).toEqual({ revived: 1, gone: 0 });
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_COMPLETED'));
    expect((await call('GET', '/webhooks/dead-letters', OPERATOR)).body).toEqual({ deadLetters: [] });
  });

  it('lets callers subscribe to events of their tasks, and operators with the right to content to those of the tenant (O-53)', async () => {
    const wanted = { url: receiver.url, types: ['invoice.*'] };
    const { status, body } = await call('POST', '/webhooks/events', CALLER, wanted);
    expect([status, body]).toMatchObject([201, { of: 'caller', types: ['invoice.*'], outstanding: 0 }]);
    expect((await call('POST', '/webhooks/events', OPERATOR, wanted)).status).toBe(403);
    expect((await call('POST', '/webhooks/events', CALLER, { ...wanted, of: 'tenant' })).status).toBe(403);
    for (const types of [[], ['no type'], ['*'.repeat(9)], undefined])
      expect((await call('POST', '/webhooks/events', CALLER, { ...wanted, types })).status).toBe(400);
    expect((await call('GET', '/webhooks/events', CALLER)).body).toEqual({ webhooks: [body] });
    expect((await call('GET', '/webhooks/events', STRANGER)).body).toEqual({ webhooks: [] });
    expect((await call('DELETE', `/webhooks/events/${String(body.id)}`, CALLER)).status).toBe(200);
    expect((await call('GET', '/webhooks/events', CALLER)).body).toEqual({ webhooks: [] });
  });
});
