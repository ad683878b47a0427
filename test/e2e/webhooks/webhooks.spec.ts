import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Webhook } from 'standardwebhooks';
import { PushKeys } from '../../../src/webhooks/push.keys.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { Receiver } from '../../integration/webhooks/receiver.js';

const SECRET = 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';

describe('webhooks, end to end', () => {
  let receiver: Receiver;
  let running: RunningApp;
  let client: RpcClient;

  beforeAll(async () => {
    receiver = await new Receiver().listen();
    running = await runApp({ EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http` });
    client = new RpcClient(running.url);
  });
  afterEach(() => {
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await running.close();
    await receiver.close();
  });

  function message(text: string, more: object = {}): object {
    return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
  }

  it('says in the card that webhooks can be registered', async () => {
    const card = (await (await fetch(`${running.url}/.well-known/agent-card.json`)).json()) as object;
    expect(card).toHaveProperty('capabilities.pushNotifications', true);
  });

  it('follows a task from its first event to its last, signed (A2A-SEND-16, A2A-BLK-04, TRAP-66)', async () => {
    const authentication = { scheme: 'HMAC-SHA256', credentials: SECRET };
    const task = await client.task('SendMessage', {
      message: message('hello'),
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url: receiver.url, authentication } },
    });
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_COMPLETED'));
    expect(receiver.seqs).toEqual(receiver.seqs.map((_seq, n) => n + 1));
    for (const { body, headers } of receiver.received) {
      new Webhook(SECRET).verify(body, headers as Record<string, string>);
      expect(headers['x-a2a-task-id']).toBe(task.id);
    }
    const { result } = await client.call('ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(result).toMatchObject({
      configs: [
        { taskId: task.id, url: receiver.url, authentication: { scheme: 'HMAC-SHA256', credentials: '********' } },
      ],
      nextPageToken: '',
    });
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it('registers, shows, replaces and deletes webhooks of a task (A2A-PCFG-03 … -07, TRAP-11, TRAP-38, TRAP-67, TCK-05)', async () => {
    const { id: taskId } = await client.task('SendMessage', { message: message('hello') });
    const config = { taskId, id: 'c1', url: receiver.url, token: 'secret-token' };
    const created = await client.call('CreateTaskPushNotificationConfig', config);
    expect(created.result).toMatchObject({ taskId, id: 'c1', url: receiver.url, token: '********' });
    await eventually(() => expect(receiver.states).toEqual(['TASK_STATE_COMPLETED']));
    expect(receiver.received[0]?.headers['x-a2a-notification-token']).toBe('secret-token');

    await client.call('CreateTaskPushNotificationConfig', { ...config, url: `${receiver.url}/new` });
    const again = await client.call('GetTaskPushNotificationConfig', { taskId, id: 'c1' });
    expect(again.result).toMatchObject({ url: `${receiver.url}/new` });
    const made = await client.call('CreateTaskPushNotificationConfig', { taskId, url: receiver.url });
    expect(made.result?.id).toMatch(/^[0-9a-f-]{36}$/);

    const page = await client.call('ListTaskPushNotificationConfigs', { taskId, pageSize: 1 });
    const next = await client.call('ListTaskPushNotificationConfigs', {
      taskId,
      pageToken: page.result?.nextPageToken,
    });
    const ids = [page, next].flatMap(({ result }) => (result?.configs as { id: string }[]).map(({ id }) => id));
    expect(ids.sort()).toEqual(['c1', made.result?.id].sort());

    for (let n = 0; n < 2; n += 1) {
      expect((await client.call('DeleteTaskPushNotificationConfig', { taskId, id: 'c1' })).result).toEqual({});
    }
    const gone = await client.call('GetTaskPushNotificationConfig', { taskId, id: 'c1' });
    // The task is there (F10).
    expect(gone.error).toMatchObject({ code: -32001, message: 'The task has no webhook of this id' });
  });

  it('shows a webhook whose key is gone beside the others, and lets it be replaced (B19)', async () => {
    const { id: taskId } = await client.task('SendMessage', { message: message('hello') });
    const config = { taskId, id: taskId, url: `${receiver.url}/secret`, token: 'secret-token' };
    const other = { taskId, id: 'other', url: `${receiver.url}/other` };
    for (const each of [config, other]) await client.call('CreateTaskPushNotificationConfig', each);
    const redis = new Redis(testRedisUrl());
    const [key, field] = [new PushKeys(running.keyPrefix).push(taskId), `config:${taskId}`];
    const stored = (await redis.hget(key, field)) ?? '';
    await redis.hset(key, field, stored.replace(/"sealed":"s1\.[^.]+\./, '"sealed":"s1.gone.'));
    redis.disconnect();

    const unreadable = { id: taskId, url: new URL(receiver.url).origin, unreadable: true };
    const listed = await client.call('ListTaskPushNotificationConfigs', { taskId });
    expect(listed.result?.configs).toHaveLength(2);
    expect(listed.result?.configs).toEqual(
      expect.arrayContaining([expect.objectContaining(unreadable), expect.objectContaining(other)]),
    );
    const shown = await client.call('GetTaskPushNotificationConfig', { taskId, id: taskId });
    expect(shown.result).toMatchObject(unreadable);
    expect(shown.result).not.toHaveProperty('token');
    const rest = await fetch(`${running.url}/tasks/${taskId}/pushNotificationConfigs`, {
      headers: { 'a2a-version': '1.0' },
    });
    expect([rest.status, await rest.text()]).toEqual([200, expect.stringContaining('"unreadable":true')]);
    for (const version of ['0.3', '0.2', '0.1']) {
      const method = version === '0.1' ? 'tasks/pushNotification/get' : 'tasks/pushNotificationConfig/get';
      const older = new DialectClient(running.url, { 'a2a-version': version });
      expect(JSON.stringify(await older.result(method, { id: taskId }))).toContain(unreadable.url);
    }

    await client.call('CreateTaskPushNotificationConfig', config);
    const again = await client.call('GetTaskPushNotificationConfig', { taskId, id: taskId });
    expect(again.result).toMatchObject({ url: config.url, token: '********' });
    expect(again.result).not.toHaveProperty('unreadable');
  });

  it('answers a missing task with TaskNotFound in all four (A2A-PCFG-05, -08)', async () => {
    const taskId = randomUUID();
    const calls: [string, object][] = [
      ['CreateTaskPushNotificationConfig', { taskId, url: 'http://127.0.0.1/' }],
      ['GetTaskPushNotificationConfig', { taskId, id: 'c1' }],
      ['ListTaskPushNotificationConfigs', { taskId }],
      ['DeleteTaskPushNotificationConfig', { taskId, id: 'c1' }],
    ];
    for (const [method, params] of calls) expect((await client.call(method, params)).error?.code).toBe(-32001);
  });

  it.each([
    ['url', { url: 'http://169.254.169.254/latest/meta-data' }],
    ['url', { url: 'https://localhost:8443/' }],
    ['url', { url: 'not a url' }],
    ['token', { token: 'a\r\nX-Evil: 1' }],
    ['authentication.scheme', { authentication: { scheme: 'Bear er' } }],
    ['authentication.credentials', { authentication: { scheme: 'Bearer', credentials: 'ä' } }],
    ['events', { events: ['everything'] }],
    ['id', { id: 'a b' }],
  ])('refuses a bad %s before anything is stored (A2A-PCFG-11)', async (field, wrong) => {
    const taskPushNotificationConfig = { url: receiver.url, ...wrong };
    const answer = await client.call('SendMessage', {
      message: message('hello'),
      configuration: { taskPushNotificationConfig },
    });
    expect(answer.error?.code).toBe(-32602);
    const violations = answer.error?.data?.flatMap(({ fieldViolations = [] }) => fieldViolations);
    expect(violations).toMatchObject([{ field: `configuration.taskPushNotificationConfig.${field}` }]);
  });

  it('gives a repeated message the webhook that it has (A2A-SEND-14)', async () => {
    const params = {
      message: message('hello'),
      configuration: { taskPushNotificationConfig: { url: receiver.url, events: ['TASK_STATE_COMPLETED'] } },
    };
    const first = await client.task('SendMessage', params);
    const second = await client.task('SendMessage', params);
    expect(second.id).toBe(first.id);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const { result } = await client.call('ListTaskPushNotificationConfigs', { taskId: first.id });
    expect(result?.configs).toHaveLength(1);
  });

  it('stores nothing of a webhook whose message is refused, and calls one whose message is accepted (M4)', async () => {
    const configuration = { returnImmediately: true };
    const task = await client.task('SendMessage', {
      message: message('2', { metadata: { skillId: 'countdown' } }),
      configuration,
    });
    const next = (more: object): object => ({
      message: message('1', { taskId: task.id, ...more }),
      configuration: { ...configuration, taskPushNotificationConfig: { url: receiver.url } },
    });
    const refused = await client.call('SendMessage', next({ contextId: 'another' }));
    expect(refused.error?.code).toBe(-32602);
    const none = await client.call('ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(none.result?.configs).toEqual([]);
    await client.task('SendMessage', next({}));
    const one = await client.call('ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(one.result?.configs).toHaveLength(1);
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_COMPLETED'), { timeoutMs: 15_000 });
  }, 30_000);

  it('speaks to a 0.3 client in its own words', async () => {
    const call = async (method: string, params: object): Promise<Record<string, unknown>> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(`${running.url}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return ((await response.json()) as { result: Record<string, unknown> }).result;
    };
    const task = await call('message/send', {
      message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text: 'hello' }] },
      configuration: { blocking: true, pushNotificationConfig: { url: receiver.url, token: 't' } },
    });
    await eventually(() => expect(receiver.received.at(-1)?.body).toContain('"state":"completed"'));
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ kind: 'task', id: task.id });
    const got = await call('tasks/pushNotificationConfig/get', { id: task.id, pushNotificationConfigId: task.id });
    expect(got).toMatchObject({ taskId: task.id, pushNotificationConfig: { id: task.id, url: receiver.url } });
  });
});

/** Processes of several roles must share the keys that seal secrets; without any, there are no webhooks. */
describe('a service without webhooks', () => {
  it('says so in the card and in every call that has to do with them (A2A-PCFG-01, A2A-SEND-15, TRAP-48)', async () => {
    const running = await runApp({ ROLE: 'api' });
    const client = new RpcClient(running.url);
    const url = 'https://example.com/';
    const inline = {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] },
      configuration: { taskPushNotificationConfig: { url } },
    };
    expect((await client.call('SendMessage', inline)).error?.code).toBe(-32003);
    for (const [operation, more] of Object.entries({ Create: { url }, Get: { id: 'c1' }, Delete: { id: 'c1' } })) {
      const answer = await client.call(`${operation}TaskPushNotificationConfig`, { taskId: randomUUID(), ...more });
      expect(answer.error?.code).toBe(-32003);
    }
    const list = await client.call('ListTaskPushNotificationConfigs', { taskId: randomUUID() });
    expect(list.error?.code).toBe(-32003);
    const card = (await (await fetch(`${running.url}/.well-known/agent-card.json`)).json()) as object;
    expect(card).toHaveProperty('capabilities.pushNotifications', false);
    await running.close();
  });
});
