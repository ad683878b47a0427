import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';

let running: RunningApp;
let unversioned: DialectClient;
let v1: DialectClient;

const NO_TASK = '00000000-0000-4000-8000-000000000000';

function message03(text: string, skillId: string): object {
  const parts = [{ kind: 'text', text }];
  return { kind: 'message', messageId: randomUUID(), role: 'user', parts, metadata: { skillId } };
}

function message01(text: string, skillId: string): object {
  return { role: 'user', parts: [{ type: 'text', text }], metadata: { skillId } };
}

function message1(text: string, skillId: string): object {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata: { skillId } };
}

describe('dialects', () => {
  beforeAll(async () => {
    running = await runApp();
    unversioned = new DialectClient(running.url);
    v1 = new DialectClient(running.url, { 'a2a-version': '1.0' });
  });

  afterAll(async () => {
    await running.close();
  });

  describe('errors of JSON-RPC 0.1', () => {
    it('name the task by the id of the client, never by that of the service (S12)', async () => {
      const id = `mine-${randomUUID()}`;
      await unversioned.result('tasks/send', { id, message: message01('hello', 'echo') });
      const further = { id, message: message01('more', 'echo') };
      const errors = [
        await unversioned.call('tasks/send', further),
        await unversioned.call('tasks/cancel', { id }),
        await unversioned.call('tasks/resubscribe', { id }),
      ].map(({ error }) => error);
      for (const error of errors) {
        expect(error.data.metadata).toMatchObject({ taskId: id });
        expect(JSON.stringify(error)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}(?!.*mine)/);
      }
    });
  });

  describe('JSON-RPC 0.3', () => {
    it('is spoken to callers that state no version (DISP-01, DISP-06)', async () => {
      const task = await unversioned.result('message/send', { message: message03('hello', 'echo') });
      expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' }, contextId: expect.any(String) });
      expect(task.artifacts[0].parts[0]).toMatchObject({ kind: 'text', text: 'hello' });
      expect(await unversioned.result('tasks/get', { id: task.id })).toEqual(task);
    });

    it('streams with final on the last event (V03-FINAL)', async () => {
      const events = await unversioned.results('message/stream', { message: message03('x', 'echo') });
      expect(events[0]).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
      expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
    });

    it('tells who asks for history the states that the task went through (SEED-07)', async () => {
      const { id } = await unversioned.result('message/send', { message: message03('hello', 'echo') });
      const { metadata } = await unversioned.result('tasks/get', { id, historyLength: 10 });
      expect(metadata.stateTransitions).toEqual(
        ['submitted', 'working', 'completed'].map((state) => ({ state, timestamp: expect.any(String) })),
      );
      expect(await unversioned.result('tasks/get', { id, historyLength: 0 })).not.toHaveProperty('metadata');
      const v1Task = await v1.result('GetTask', { id, historyLength: 10 });
      expect(v1Task).not.toHaveProperty('metadata');
    });

    it('resubscribes and cancels', async () => {
      const { id } = await unversioned.result('message/send', {
        message: message03('30', 'countdown'),
        configuration: { blocking: false },
      });
      const stream = await unversioned.open('tasks/resubscribe', { id });
      expect(await unversioned.result('tasks/cancel', { id })).toMatchObject({ status: { state: 'canceled' } });
      expect(await stream.text()).toContain('"final":true');
    });

    it.each(['0.3', '0.3.0', '0.2', '0.2.5', '0.9'])('answers to version %s (DISP-02, DISP-11)', async (version) => {
      const client = new DialectClient(running.url, { 'a2a-version': version });
      const task = await client.result('message/send', { message: message03('x', 'echo') });
      expect(task.kind).toBe('task');
    });

    it('has the ids, states and codes of 0.2 for callers of 0.2 (V02-05, V02-06, V02-13)', async () => {
      const old = new DialectClient(running.url, { 'a2a-version': '0.2.5' });
      const task = await old.result('message/send', { message: message03('x', 'echo') });
      expect(task).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: { state: 'completed' } });
      const refused = await old.result('message/send', { message: message03('no invoice', 'extract_invoice_data') });
      expect(refused.status.state).toBe('rejected');
      const more = { ...message03('y', 'echo'), taskId: task.id };
      expect((await old.call('message/send', { message: more })).error.code).toBe(-32004);
      expect((await old.call('agent/getAuthenticatedExtendedCard')).error.code).toBe(-32004);
    });

    it('answers without an id with id null (A2A-RPC-10)', async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'tasks/get', params: { id: NO_TASK } });
      const response = await fetch(`${running.url}/`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(await response.json()).toMatchObject({ id: null, error: { code: -32001 } });
    });
  });

  describe('the dialect of a call', () => {
    it.each([
      ['a legacy method with version 1.0 (DISP-09)', '1.0', 'message/send', -32601],
      ['an unknown version (DISP-03)', '7.0', 'GetTask', -32009],
      ['a minor of 1 that is not declared (DISP-11, TRAP-43)', '1.7', 'GetTask', -32009],
      ['a 1.0 method with a 0.1 version and no such name', '0.1', 'ListThings', -32601],
    ])('refuses %s', async (_what, version, method, code) => {
      const answer = await new DialectClient(running.url, { 'a2a-version': version }).call(method, { id: NO_TASK });
      expect(answer.error.code).toBe(code);
    });

    it('lists what is supported (A2A-ERR-08)', async () => {
      const answer = await new DialectClient(running.url, { 'a2a-version': '7.0' }).call('GetTask', {});
      expect(answer.error.data[0].metadata).toEqual({ supportedVersions: '1.0, 0.3, 0.2, 0.1' });
    });

    it('reads the version from the query, header first (DISP-04, TRAP-44)', async () => {
      const response = await v1.open('GetTask', { id: NO_TASK }, '/?A2A-Version=7.0');
      expect(await response.json()).toMatchObject({ error: { code: -32001 } });
      const byQuery = await unversioned.open('GetTask', { id: NO_TASK }, '/?A2A-Version=7.0');
      expect(await byQuery.json()).toMatchObject({ error: { code: -32009 } });
    });

    it('of shared names is the one in which the task was created (DISP-07)', async () => {
      const old = randomUUID();
      await unversioned.result('tasks/send', { id: old, message: message01('x', 'echo') });
      expect((await unversioned.result('tasks/get', { id: old })).kind).toBeUndefined();
      const { task } = await v1.result('SendMessage', { message: message1('x', 'echo') });
      expect((await unversioned.result('tasks/get', { id: task.id })).kind).toBe('task');
      expect((await unversioned.call('tasks/get', { id: NO_TASK })).error.code).toBe(-32001);
    });
  });

  describe('a strict service', () => {
    it('refuses 1.0 methods without a version (DISP-08)', async () => {
      const strict = await runApp({ PARLEY_FILE: settingsFile({ service: { versionCheck: 'strict' } }) });
      try {
        const answer = await new DialectClient(strict.url).call('GetTask', { id: NO_TASK });
        expect(answer.error.code).toBe(-32009);
        expect((await fetch(`${strict.url}/tasks`)).status).toBe(400);
      } finally {
        await strict.close();
      }
    });
  });

  describe('JSON-RPC 0.1', () => {
    it('creates a task under the id of the client (D01-01, SEED-11, SEED-18)', async () => {
      const id = `task-${randomUUID()}`;
      const params = { id, sessionId: 's-1', message: message01('hello', 'echo') };
      const task = await unversioned.result('tasks/send', params);
      expect(task).toMatchObject({ id, sessionId: 's-1' });
      const done = await unversioned.result('tasks/get', { id, historyLength: 10 });
      expect(done).toMatchObject({ id, status: { state: 'completed' } });
      expect(done.artifacts[0]).toMatchObject({ index: 0, parts: [{ type: 'text', text: 'hello' }] });
      expect(done.history[0].parts[0].text).toBe('hello');
      expect(done.metadata.stateTransitions[0]).toEqual({ state: 'submitted', timestamp: expect.any(String) });
      expect((await unversioned.result('tasks/get', { id })).history).toBeUndefined();
    });

    it('recognises a repeated call, and refuses a finished task (v0.1 §8.2) (SEED-11)', async () => {
      const id = randomUUID();
      const params = { id, message: message01('once', 'echo') };
      await unversioned.result('tasks/send', params);
      const again = await unversioned.call('tasks/send', { id, message: message01('twice', 'echo') });
      expect(again.error.code).toBe(-32009);
      const { totalSize } = await v1.result('ListTasks', {
        contextId: (await unversioned.result('tasks/get', { id })).sessionId,
      });
      expect(totalSize).toBe(1);
    });

    it('makes one task of two messages that race under one id', async () => {
      const id = randomUUID();
      const sessionId = randomUUID();
      const send = (text: string): Promise<unknown> =>
        unversioned.call('tasks/send', { id, sessionId, message: message01(text, 'countdown') });
      await Promise.all([send('20'), send('21'), send('22')]);
      expect((await v1.result('ListTasks', { contextId: sessionId })).totalSize).toBe(1);
      expect((await unversioned.result('tasks/cancel', { id })).status.state).toBe('canceled');
    });

    it.each(['/', '/subscribe'])('streams at %s: status first, final last (D01-04, D01-06)', async (path) => {
      const id = randomUUID();
      const events = await unversioned.results('tasks/sendSubscribe', { id, message: message01('x', 'echo') }, path);
      expect(events[0]).toMatchObject({ id, status: { state: 'submitted' }, final: false });
      expect(events.some((event) => event.artifact?.index === 0)).toBe(true);
      expect(events.at(-1)).toMatchObject({ id, status: { state: 'completed' }, final: true });
    });

    it('resubscribes by the id of the client and cancels (SEED-02, D01-11, SEED-09)', async () => {
      const id = randomUUID();
      const sent = await unversioned.result('tasks/send', { id, message: message01('30', 'countdown') });
      expect(sent.status.state).toMatch(/submitted|working/);
      const stream = await unversioned.open('tasks/resubscribe', { id });
      expect((await unversioned.result('tasks/cancel', { id })).id).toBe(id);
      expect(await stream.text()).toContain('"final":true');
    });

    it('answers with its own codes', async () => {
      expect((await unversioned.call('tasks/get', { id: 'nobody' })).error.code).toBe(-32001);
      expect((await unversioned.call('tasks/send', { id: 'x y', message: message01('x', 'echo') })).error.code).toBe(
        -32602,
      );
      const params = { id: 'nobody', pushNotificationConfig: { url: 'https://example.com/' } };
      expect((await unversioned.call('tasks/pushNotification/set', params)).error.code).toBe(-32001);
    });
  });

  describe('a body that is too large', () => {
    it('is refused with 413 and a JSON-RPC error (A2A-RPC-09, TRAP-68)', async () => {
      const response = await v1.open('SendMessage', { text: 'x'.repeat(11 * 1024 * 1024) });
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    });
  });
});
