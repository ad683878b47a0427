import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RestClient } from '../../kit/callers/rest-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

let running: RunningApp;
let client: RestClient;

const PDF = Buffer.from('%PDF-1.4 ☃').toString('base64');
const NO_TASK = '00000000-0000-4000-8000-000000000000';

/** The ProtoJSON of `a2a.v1.SendMessageRequest`. */
function protoMessage(text: string, skillId: string): object {
  const metadata = { skillId };
  return {
    message: { messageId: randomUUID(), role: 'ROLE_USER', content: [{ text }], metadata },
    configuration: { blocking: true },
  };
}

describe('HTTP+JSON 0.3', () => {
  beforeAll(async () => {
    running = await runApp();
    client = new RestClient(running.url, {});
  });

  afterAll(async () => {
    await running.close();
  });

  it('sends and gets in proto shape (v0.3 §3.5.3)', async () => {
    const sent = await client.call('POST', '/v1/message:send', protoMessage('hello', 'echo'));
    expect(sent.status).toBe(200);
    expect(sent.headers.get('content-type')).toContain('application/json');
    expect(sent.body.task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'hello' }] }],
      history: [{ role: 'ROLE_USER', content: [{ text: 'hello' }] }],
    });
    expect((await client.call('GET', `/v1/tasks/${sent.body.task.id}`)).body).toEqual(sent.body.task);
    const trimmed = await client.call('GET', `/v1/tasks/${sent.body.task.id}?history_length=0`);
    expect(trimmed.body.history).toBeUndefined();
  });

  it('reads the shape of the specification text too', async () => {
    const parts = [{ kind: 'text', text: 'hi' }];
    const message = { kind: 'message', messageId: randomUUID(), role: 'user', parts, metadata: { skillId: 'echo' } };
    const sent = await client.call('POST', '/v1/message:send', { message, configuration: { blocking: true } });
    expect(sent.body.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it.each([
    ['python-httpx/0.28.1', Buffer.from(PDF).toString('base64')],
    ['Go-http-client/2.0', Buffer.from(PDF).toString('base64')],
    ['node', PDF],
  ])('reads and writes files as the SDK behind %s has them (conformance C4)', async (agent, fileWithBytes) => {
    const asked = protoMessage('', 'echo') as { message: { content: unknown } };
    asked.message.content = [{ file: { fileWithBytes, mimeType: 'application/pdf' } }];
    const of = (headers: Record<string, string>) => new RestClient(running.url, headers);
    const sent = await of({ 'user-agent': agent }).call('POST', '/v1/message:send', asked);
    const { id } = sent.body.task;
    expect(sent.body.task.artifacts[0].parts[0].file.fileWithBytes).toBe(fileWithBytes);
    const read = await of({ 'a2a-version': '1.0' }).call('GET', `/tasks/${id}`);
    expect(read.body.artifacts[0].parts[0].raw).toBe(PDF);
    const events = await of({ 'user-agent': agent }).events('POST', '/v1/message:stream', {
      message: { ...asked.message, messageId: randomUUID() },
    });
    const files = JSON.stringify(events).match(/"fileWithBytes":"[^"]*"/g) ?? [];
    expect(new Set(files)).toEqual(new Set([`"fileWithBytes":"${fileWithBytes}"`]));
  });

  it('streams, subscribes and cancels', async () => {
    const events = await client.events('POST', '/v1/message:stream', protoMessage('x', 'echo'));
    expect(events[0].task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(events.at(-1).statusUpdate).toMatchObject({ final: true, status: { state: 'TASK_STATE_COMPLETED' } });
    const sent = await client.call('POST', '/v1/message:send', {
      ...protoMessage('30', 'countdown'),
      configuration: {},
    });
    const { id } = sent.body.task;
    const stream = await client.open('GET', `/v1/tasks/${id}:subscribe`);
    const canceled = await client.call('POST', `/v1/tasks/${id}:cancel`);
    expect(canceled.body.status.state).toBe('TASK_STATE_CANCELLED');
    expect(await stream.text()).toContain('TASK_STATE_CANCELLED');
  });

  it.each([
    ['GET', `/v1/tasks/${NO_TASK}`, undefined, 404, -32001],
    ['POST', '/v1/message:send', {}, 400, -32602],
    ['POST', '/v1/message:send', '{', 400, -32700],
    ['GET', '/v1/nowhere', undefined, 404, -32601],
    ['GET', '/v1/message:send', undefined, 405, -32601],
    ['GET', `/v1/tasks/${NO_TASK}/pushNotificationConfigs`, undefined, 404, -32001],
  ])('answers %s %s with the bare error of its SDKs', async (method, path, body, status, code) => {
    const answer = await client.call(method, path, body);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.body.message).toEqual(expect.any(String));
  });

  it('serves callers of 0.2.6, whose paths it has (V02-08, V02-11)', async () => {
    const old = { 'a2a-version': '0.2.6' };
    const sent = await client.call('POST', '/v1/message:send', protoMessage('x', 'echo'), old);
    expect(sent.body.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await client.call('GET', `/v1/tasks/${sent.body.task.id}`, undefined, old)).status).toBe(200);
  });

  it('refuses 1.0 under /v1 (DISP-10)', async () => {
    const answer = await client.call('GET', `/v1/tasks/${NO_TASK}`, undefined, { 'a2a-version': '1.0' });
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ reason: 'VERSION_NOT_SUPPORTED' });
  });
});
