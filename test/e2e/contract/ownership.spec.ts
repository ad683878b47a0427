import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { aMessage } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';

const NO_TASK = '00000000-0000-4000-8000-000000000000';
const HOOK = 'https://example.com/hook';

/** An entry of API_KEYS for a caller who may do everything. */
function entryOf(name: string): string {
  const scopes = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read';
  return apiKeyEntry(`${name}.secret`, { tenant: 'default', scopes });
}

const API_KEYS = [entryOf('alice'), entryOf('bob')].join('\n');

function callerOf({ url }: RunningApp, name: string): DialectClient {
  return new DialectClient(url, { 'a2a-version': '1.0', 'x-api-key': `${name}.secret` });
}

describe('callers who share nothing', () => {
  let running: RunningApp;
  let alice: DialectClient;
  let bob: DialectClient;
  let task: Task;

  beforeAll(async () => {
    running = await runApp({ DEFAULT_SKILL: 'scripted', API_KEYS }, SCRIPTED);
    alice = callerOf(running, 'alice');
    bob = callerOf(running, 'bob');
    task = (await alice.result('SendMessage', aMessage('private'))).task;
  });

  afterAll(async () => {
    await running.close();
  });

  it.each<[string, (id: string) => object]>([
    ['GetTask', (id) => ({ id })],
    ['CancelTask', (id) => ({ id })],
    ['SubscribeToTask', (id) => ({ id })],
    ['SendMessage', (taskId) => aMessage('x', { taskId })],
    ['CreateTaskPushNotificationConfig', (taskId) => ({ taskId, url: HOOK })],
    ['GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'a' })],
    ['ListTaskPushNotificationConfigs', (taskId) => ({ taskId })],
    ['DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'a' })],
  ])(
    'get the same answer of %s for a task of another as for a missing one (A2A-ERR-04, A2A-ERR-05, A2A-SEC-10, A2A-PCFG-05, A2A-PCFG-08)',
    async (method, params) => {
      const foreign = await (await bob.open(method, params(task.id))).text();
      const missing = await (await bob.open(method, params(NO_TASK))).text();
      expect(foreign).toBe(missing);
      expect(foreign).toContain('-32001');
    },
  );

  it('list and count their own tasks only (A2A-LIST-01)', async () => {
    await bob.result('SendMessage', aMessage('mine'));
    const { tasks, totalSize } = await bob.result('ListTasks', {});
    expect(totalSize).toBe(tasks.length);
    expect(JSON.stringify(tasks)).not.toContain(task.id);
  });

  it('have contexts of their own, even under one id (A2A-ID-04, SEED-19, SEED-47)', async () => {
    const contextId = randomUUID();
    for (const caller of [alice, bob]) {
      await caller.result('SendMessage', aMessage('x', { contextId }));
      expect((await caller.result('ListTasks', { contextId })).totalSize).toBe(1);
    }
  });

  it('are known by their credentials, not by what they say of themselves (A2A-AUTHN-05)', async () => {
    const said = { metadata: { client: 'alice', tenant: 'default' } };
    const { task: made } = await bob.result('SendMessage', { ...aMessage('x', said), metadata: { client: 'alice' } });
    expect((await alice.call('GetTask', { id: made.id })).error.code).toBe(-32001);
  });

  it('are refused another tenant, and strangers hear nothing of tenants (A2A-TEN-02)', async () => {
    const { error } = await bob.call('GetTask', { tenant: 'other', id: task.id });
    expect(error).toMatchObject({ code: -32602 });
    const stranger = new DialectClient(running.url, { 'a2a-version': '1.0' });
    for (const tenant of ['default', 'other']) {
      expect((await stranger.open('GetTask', { tenant, id: task.id })).status).toBe(401);
    }
  });

  it('see no secret of a webhook again, and may add one to a finished task (A2A-PCFG-10, A2A-PCFG-12)', async () => {
    const secrets = { token: 'tok-secret', authentication: { scheme: 'Bearer', credentials: 'cred-secret' } };
    const created = await alice.result('CreateTaskPushNotificationConfig', { taskId: task.id, url: HOOK, ...secrets });
    const got = await alice.result('GetTaskPushNotificationConfig', { taskId: task.id, id: created.id });
    const listed = await alice.result('ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(JSON.stringify([created, got, listed])).not.toMatch(/tok-secret|cred-secret/);
    expect(got).toMatchObject({ url: HOOK, authentication: { scheme: 'Bearer' } });
  });
});

describe('callers of one tenant that shares its tasks', () => {
  it('add webhooks to one list, whoever registered them (A2A-PN-13)', async () => {
    const running = await runApp({ DEFAULT_SKILL: 'scripted', API_KEYS, OWNERSHIP: 'tenant' }, SCRIPTED);
    try {
      const [alice, bob] = [callerOf(running, 'alice'), callerOf(running, 'bob')];
      const { id: taskId } = (await alice.result('SendMessage', aMessage('shared'))).task;
      for (const [id, caller] of Object.entries({ alice, bob })) {
        await caller.result('CreateTaskPushNotificationConfig', { taskId, id, url: HOOK });
      }
      const { configs } = await alice.result('ListTaskPushNotificationConfigs', { taskId });
      expect(configs.map(({ id }: { id: string }) => id).sort()).toEqual(['alice', 'bob']);
    } finally {
      await running.close();
    }
  });
});
