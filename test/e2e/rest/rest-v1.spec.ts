import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RestClient } from '../../kit/callers/rest-client.js';
import { aMessage } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

let running: RunningApp;
let client: RestClient;

const NO_TASK = '00000000-0000-4000-8000-000000000000';
const AT_ONCE = { configuration: { returnImmediately: true } };

/** A task that works for a while. */
async function slowTask(): Promise<string> {
  const { body } = await client.call('POST', '/message:send', {
    ...aMessage('30', { skillId: 'countdown' }),
    ...AT_ONCE,
  });
  return body.task.id;
}

describe('HTTP+JSON 1.0', () => {
  beforeAll(async () => {
    running = await runApp();
    client = new RestClient(running.url);
  });

  afterAll(async () => {
    await running.close();
  });

  it.each(['', '/default'])('sends, gets, lists under "%s" (A2A-REST-04, A2A-REST-09)', async (tenant) => {
    const sent = await client.call('POST', `${tenant}/message:send`, aMessage('hello', { skillId: 'echo' }));
    expect(sent.status).toBe(200);
    expect(sent.headers.get('content-type')).toContain('application/a2a+json');
    expect(sent.body.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    const { id, contextId } = sent.body.task;
    expect((await client.call('GET', `${tenant}/tasks/${id}`)).body).toEqual(sent.body.task);
    const listed = await client.call('GET', `${tenant}/tasks?contextId=${contextId}`);
    expect(listed.body).toMatchObject({ tasks: [{ id }], nextPageToken: '', pageSize: 50, totalSize: 1 });
  });

  it('streams bare events (A2A 1.0 §11.7)', async () => {
    const events = await client.events('POST', '/message:stream', aMessage('x', { skillId: 'echo' }));
    expect(events[0].task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    expect(events.some((event) => 'artifactUpdate' in event)).toBe(true);
  });

  it.each(['GET', 'POST'])(
    'subscribes by %s, and cancels with any empty body (TRAP-04, A2A-REST-06)',
    async (method) => {
      const id = await slowTask();
      const response = await client.open(method, `/tasks/${id}:subscribe`);
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      const canceled = await client.call('POST', `/tasks/${id}:cancel`, method === 'GET' ? undefined : 'null');
      expect(canceled.body).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
      expect(await response.text()).toContain('TASK_STATE_CANCELED');
    },
  );

  it('reads query parameters by type (A2A-REST-02)', async () => {
    const { body } = await client.call('POST', '/message:send', aMessage('x', { skillId: 'echo' }));
    const { id, contextId } = body.task;
    expect((await client.call('GET', `/tasks/${id}?historyLength=0`)).body.history).toBeUndefined();
    const query = `contextId=${contextId}&status=TASK_STATE_COMPLETED&pageSize=1&includeArtifacts=true`;
    expect((await client.call('GET', `/tasks?${query}`)).body.tasks[0].artifacts).toHaveLength(1);
    const wrong = await client.call('GET', '/tasks?pageSize=many&status=NOPE');
    expect(wrong.status).toBe(400);
    expect(wrong.body.error.details[1].fieldViolations.map((it: { field: string }) => it.field)).toEqual(
      expect.arrayContaining(['pageSize', 'status']),
    );
  });

  it('answers plain JSON to who takes nothing else (A2A-REST-01)', async () => {
    const { headers } = await client.call('GET', '/tasks', undefined, { accept: 'application/json' });
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('vary')).toContain('Accept');
    const sent = await client.call('POST', '/message:send', aMessage('x'), { 'content-type': 'application/json' });
    expect(sent.status).toBe(200);
  });

  it.each([
    ['GET', `/tasks/${NO_TASK}`, undefined, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['GET', '/tasks/urn:not:here', undefined, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['POST', `/tasks/${NO_TASK}:cancel`, {}, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['POST', `/tasks/${NO_TASK}:subscribe`, {}, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['POST', '/message:send', {}, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['POST', '/message:send', '{', 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['POST', '/message:send', '[]', 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['GET', '/nowhere', undefined, 404, 'NOT_FOUND', 'METHOD_NOT_FOUND'],
    ['GET', '/tasks/a/b', undefined, 404, 'NOT_FOUND', 'METHOD_NOT_FOUND'],
    ['GET', '/%zz', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['GET', '/tasks/%C3', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['POST', '/other/message:send', aMessage('x'), 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['POST', '/default/message:send', { ...aMessage('x'), tenant: 'b' }, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['POST', `/tasks/${NO_TASK}:cancel`, { id: 'another' }, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
  ])(
    'answers %s %s with a google.rpc.Status (A2A-REST-03, TRAP-03)',
    async (method, path, body, code, status, reason) => {
      const answer = await client.call(method, path, body);
      expect(answer.status).toBe(code);
      expect(answer.headers.get('content-type')).toContain('application/a2a+json');
      expect(answer.body.error).toMatchObject({ code, status });
      expect(answer.body.error.details[0]).toMatchObject({ reason, domain: 'a2a-protocol.org' });
    },
  );

  it.each([
    ['PUT', '/tasks', 'GET'],
    ['DELETE', '/message:send', 'POST'],
    ['GET', '/message:stream', 'POST'],
    ['PATCH', `/tasks/${NO_TASK}/pushNotificationConfigs/a`, 'GET, DELETE'],
    ['HEAD', `/tasks/${NO_TASK}:subscribe`, 'GET, POST'],
    ['PUT', '/', 'GET, POST'],
    ['POST', '/health/live', 'GET'],
  ])('says at %s %s what the path takes (A2A-REST-07)', async (method, path, allow) => {
    const response = await client.open(method, path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD')
      expect(await response.json()).toMatchObject({ error: { code: 405, status: 'UNIMPLEMENTED' } });
  });

  it('refuses other content types (A2A-REST-07)', async () => {
    const answer = await client.call('POST', '/message:send', 'x', { 'content-type': 'text/plain' });
    expect(answer).toMatchObject({
      status: 415,
      body: { error: { code: 415, details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] } },
    });
  });

  it('refuses a body that is too large', async () => {
    const answer = await client.call('POST', '/message:send', `"${'x'.repeat(11 * 1024 * 1024)}"`);
    expect(answer).toMatchObject({ status: 413, body: { error: { details: [{ reason: 'REQUEST_TOO_LARGE' }] } } });
  });

  it('answers HEAD as GET, without a body', async () => {
    const response = await client.open('HEAD', '/tasks');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('serves 1.0 without prefix only (DISP-03, DISP-10, A2A-ERR-08, TRAP-43)', async () => {
    const answer = await client.call('GET', '/tasks', undefined, { 'a2a-version': '0.3' });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: [{ reason: 'VERSION_NOT_SUPPORTED', metadata: { supportedVersions: '1.0' } }] } },
    });
    const byQuery = new RestClient(running.url, {});
    expect((await byQuery.call('GET', '/tasks?A2A-Version=1.0.1')).status).toBe(200);
    expect((await byQuery.call('GET', '/tasks?A2A-Version=7.0')).status).toBe(400);
  });

  it('takes an unstated version for 1.0 (DISP-08, A2A-REST-08)', async () => {
    expect((await new RestClient(running.url, {}).call('GET', '/tasks')).status).toBe(200);
  });
});
