import { randomBytes, randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { type McpAnswer, McpClient, McpSession, messagesOf, TASKS } from '../../kit/callers/mcp-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { MCP_SKILLS, SEEN } from './skills.js';
import { settingsFile } from '../../kit/app/settings-file.js';

const run = promisify(execFile);
const ALL = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel skill:obey';
const KEYS = { ann: 'ann.0123456789abcdef', bob: 'bob.0123456789abcdef', cat: 'cat.0123456789abcdef' };
const FORMS = { elicitation: { form: {} } };

/** What a subscription is told first; it is then left. */
async function acknowledged(
  client: McpClient,
  notifications: JsonObject,
): Promise<Pick<McpAnswer, 'status' | 'response'>> {
  const leave = new AbortController();
  const answer = await client.send('subscriptions/listen', { notifications }, { signal: leave.signal });
  const first = await messagesOf(answer).next();
  leave.abort();
  return { status: answer.status, response: first.done === true ? {} : first.value };
}

/** An answer without what names the request and the task. */
function withoutNames({ status, response }: Pick<McpAnswer, 'status' | 'response'>): string {
  const text = JSON.stringify([status, response]).replaceAll(/"(id|[\w./]+\/subscriptionId)":\d+/g, '"$1":0');
  return text.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '<id>');
}

describe('the MCP endpoint, with two replicas', () => {
  let one: RunningApp;
  let other: RunningApp;
  let ann: McpClient;
  let annElsewhere: McpClient;
  let bob: McpClient;
  let cat: McpClient;

  const variables = {
    KEY_PREFIX: `test-${randomUUID()}`,
    ...{ MCP: 'true', PARLEY_FILE: settingsFile({ mcp: { taskAfterMs: 150, waitMs: 1_000 } }), DEFAULT_SKILL: 'quick' },
    SECRET_KEYS: `k:${randomBytes(32).toString('base64')}`,
    API_KEYS: [
      apiKeyEntry(KEYS.ann, { tenant: 'default', scopes: ALL }),
      apiKeyEntry(KEYS.bob, { tenant: 'default', scopes: ALL }),
      apiKeyEntry(KEYS.cat, { tenant: 'default', scopes: 'a2a:message.send' }),
    ].join('\n'),
  };
  const aReplica = (): Promise<RunningApp> => runApp(variables, { skills: MCP_SKILLS });
  const as = (app: RunningApp, key: string): McpClient => new McpClient(app.url, { 'x-api-key': key });

  beforeAll(async () => {
    [one, other] = await Promise.all([aReplica(), aReplica()]);
    ann = as(one, KEYS.ann);
    annElsewhere = as(other, KEYS.ann);
    bob = as(one, KEYS.bob);
    cat = as(one, KEYS.cat);
  });

  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
  });

  const handleOf = async (name: string, args: JsonObject = {}): Promise<string> => {
    const result = await ann.with({ ...TASKS, ...FORMS }).call(name, args);
    expect(result).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 1000 });
    return String(result.taskId);
  };

  describe('the stateless revision', () => {
    it('says what it serves, without a session (MCP-VER-1)', async () => {
      const { headers, response } = await ann.request('server/discover');
      expect(headers.get('mcp-session-id')).toBeNull();
      expect(response.result).toMatchObject({
        resultType: 'complete',
        supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'],
        capabilities: { tools: {}, ...TASKS },
      });
    });

    it('shows each caller the tools of its scopes, always in the same order (MCP-SRV-1, -5)', async () => {
      const namesOf = async (client: McpClient): Promise<readonly string[]> => {
        const { tools } = (await client.result('tools/list')) as { tools: readonly { name: string }[] };
        return tools.map(({ name }) => name);
      };
      const skills = ['double', 'endless', 'asking', 'inquiring', 'obey', 'quick'];
      expect(await namesOf(ann)).toEqual([...skills, 'parley_task_get', 'parley_task_answer', 'parley_task_cancel']);
      expect(await namesOf(cat)).toEqual(['double', 'endless', 'asking', 'inquiring', 'quick', 'parley_task_answer']);
      expect(await ann.result('tools/list')).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    });

    it('refuses a call without the scope of its skill with 403 (MCP-SRV-5)', async () => {
      const { status, response } = await cat.request('tools/call', { name: 'obey', arguments: { text: 'x' } });
      expect([status, response.error?.code]).toEqual([403, 403]);
    });

    it('gives structured content beside text (MCP-SRV-3), and the task to read it again (MCP-SRV-7)', async () => {
      const result = await ann.call('double', { n: 21 });
      expect(result).toMatchObject({ structuredContent: { n: 42 }, content: [{ type: 'text', text: '{"n":42}' }] });
      const { 'parley/taskId': taskId } = result._meta as Record<string, string>;
      const uri = `parley://tasks/${String(taskId)}/artifacts/result`;
      expect(await annElsewhere.result('resources/read', { uri })).toMatchObject({
        contents: [{ uri, mimeType: 'application/json', text: '{"n":42}' }],
      });
      const { resources } = await ann.result('resources/list');
      expect(resources).toContainEqual(expect.objectContaining({ uri, name: 'result' }));
      expect((await bob.request('resources/read', { uri })).response.error).toEqual({
        ...{ code: -32602, message: 'Resource not found', data: { uri } },
      });
    });

    it('checks arguments before there is a task, in words for a model (MCP-SRV-2)', async () => {
      const result = await ann.call('double', { n: -1, more: 1 });
      expect(result).toMatchObject({ isError: true });
      expect(result._meta).toBeUndefined();
      const [{ text } = { text: '' }] = result.content as readonly { text: string }[];
      expect(text.split('\n').sort()).toEqual(['more: is not a known field', expect.stringMatching(/^n: /)]);
    });

    it('answers a direct skill with JSON and without a task (MCP-SRV-9)', async () => {
      const { headers, response } = await ann.request('tools/call', { name: 'quick', arguments: { text: 'now' } });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(response.result).toMatchObject({ content: [{ text: 'quick now' }] });
    });

    it.each([
      ['reject', 'No.'],
      ['fail', 'It failed.'],
    ])('gives a model the reason of the skill: %s (MCP-STATE-1)', async (text, said) => {
      expect(await ann.call('obey', { text })).toMatchObject({ isError: true, content: [{ text: said }] });
    });

    it('answers a broken skill with an error and a reference (MCP-STATE-1)', async () => {
      const { status, response } = await ann.request('tools/call', { name: 'obey', arguments: { text: 'break' } });
      expect([status, response.error]).toEqual([
        200,
        { code: -32603, message: expect.stringMatching(/^The skill failed unexpectedly\. Reference: [\w-]{36}$/) },
      ]);
    });

    it('has one effect for one idempotency key (MCP-SRV-8)', async () => {
      const more = { _meta: { 'parley/idempotencyKey': randomUUID() } };
      const [first, second] = [
        await ann.call('double', { n: 1 }, more),
        await annElsewhere.call('double', { n: 1 }, more),
      ];
      expect(second._meta).toEqual(first._meta);
      const { response } = await ann.request('tools/call', { name: 'double', arguments: { n: 2 }, ...more });
      expect(response.error?.code).toBe(-32602);
    });

    it('passes progress on before the result (MCP-WORK-5)', async () => {
      const { messages } = await ann.request('tools/call', {
        ...{ name: 'double', arguments: { n: 1, ms: 20 } },
        _meta: { progressToken: 'p' },
      });
      const params = { progressToken: 'p', progress: 1, message: 'counting' };
      expect(messages[0]).toMatchObject({ method: 'notifications/progress', params });
      expect(messages.at(-1)).toMatchObject({ result: { structuredContent: { n: 2 } } });
    });
  });

  describe('tasks', () => {
    it('become handles after a short wait, for clients that take them (MCP-WORK-1)', async () => {
      const taskId = await handleOf('double', { n: 4, ms: 400 });
      await eventually(async () => {
        const task = await annElsewhere.with(TASKS).result('tasks/get', { taskId });
        expect(task).toMatchObject({ taskId, status: 'completed', result: { structuredContent: { n: 8 } } });
        expect(Date.parse(String(task.createdAt))).toBeLessThanOrEqual(Date.parse(String(task.lastUpdatedAt)));
      });
    });

    it('are named to other clients when the wait is over, with tools to go on (MCP-WORK-2, -3)', async () => {
      const result = await ann.call('endless', { text: 'x' });
      const { 'parley/taskId': taskId } = result._meta as Record<string, string>;
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(String(taskId)) }] });
      expect(await ann.call('parley_task_get', { taskId })).toMatchObject({
        content: [{ text: 'The task is working. on and on' }],
      });
      expect(await annElsewhere.call('parley_task_cancel', { taskId })).toMatchObject({
        content: [{ text: 'The task is being canceled.' }],
      });
      await eventually(async () => {
        expect(await ann.call('parley_task_get', { taskId })).toMatchObject({
          isError: true,
          content: [{ text: 'The task was canceled.' }],
        });
      });
    });

    it('of others, unknown and foreign, are answered alike (MCP-SEC-4)', async () => {
      const taskId = await handleOf('endless', { text: 'x' });
      for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
        const params = { inputResponses: {} };
        const foreign = await bob.with(TASKS).request(method, { taskId, ...params });
        const unknown = await bob.with(TASKS).request(method, { taskId: randomUUID(), ...params });
        expect([foreign.status, foreign.response.error]).toEqual([unknown.status, unknown.response.error]);
        expect(foreign.response.error).toEqual({ code: -32602, message: 'Task not found' });
      }
      expect(await ann.with(TASKS).result('tasks/cancel', { taskId })).toEqual({ resultType: 'complete' });
    });

    it('and what belongs to them is not there for another caller, whatever is asked (MCP-SEC-4)', async () => {
      const taskId = await handleOf('endless', { text: 'x' });
      const theirs = (path: string) => async (id: string) =>
        bob.with(TASKS).request('resources/read', { uri: `parley://tasks/${id}/${path}` });
      const tool = (name: string) => async (id: string) =>
        bob.request('tools/call', { name, arguments: { taskId: id, text: 'x' } });
      const asks: readonly ((id: string) => Promise<Pick<McpAnswer, 'status' | 'response'>>)[] = [
        ...[theirs('artifacts/result'), theirs('artifacts/result/0')],
        ...[tool('parley_task_get'), tool('parley_task_answer'), tool('parley_task_cancel')],
        (id) => acknowledged(bob.with(TASKS), { taskIds: [id] }),
        (id) => acknowledged(bob.with(TASKS), { resourceSubscriptions: [`parley://tasks/${id}/artifacts/result`] }),
      ];
      for (const ask of asks) {
        const [foreign, unknown] = await Promise.all([ask(taskId), ask(randomUUID())]);
        expect(withoutNames(foreign)).toBe(withoutNames(unknown));
      }
      expect(await ann.with(TASKS).result('tasks/get', { taskId })).toMatchObject({ status: 'working' });
      await ann.with(TASKS).result('tasks/cancel', { taskId });
    });

    it('need the extension on each request', async () => {
      const { status, response } = await ann.request('tasks/get', { taskId: randomUUID() });
      expect([status, response.error]).toMatchObject([400, { code: -32021, data: { requiredCapabilities: TASKS } }]);
    });

    it('end when the client closes its stream, and their skill is told in any process', async () => {
      const { aborted, runs } = SEEN;
      const leave = new AbortController();
      const open = ann.request('tools/call', { name: 'endless', arguments: { text: 'x' } }, { signal: leave.signal });
      await eventually(() => {
        expect(SEEN.runs).toBe(runs + 1);
      });
      leave.abort();
      await expect(open).rejects.toThrow();
      await eventually(() => {
        expect(SEEN.aborted).toBe(aborted + 1);
      });
    });

    it('are followed on a stream that any replica serves (MCP-SRV-7)', async () => {
      const taskId = await handleOf('double', { n: 5, ms: 500 });
      const uri = `parley://tasks/${taskId}/artifacts/result`;
      const body = { notifications: { taskIds: [taskId, randomUUID()], resourceSubscriptions: [uri] } };
      const { messages } = await annElsewhere.with(TASKS).request('subscriptions/listen', body);
      const id = messages.at(-1)?.id;
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      expect(messages[0]).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { taskIds: [taskId], resourceSubscriptions: [uri] }, _meta },
      });
      expect(messages).toContainEqual(expect.objectContaining({ method: 'notifications/resources/updated' }));
      expect(messages.at(-2)).toMatchObject({
        method: 'notifications/tasks',
        params: { taskId, status: 'completed', result: { structuredContent: { n: 10 } }, _meta },
      });
      expect(messages.at(-1)).toMatchObject({ result: { resultType: 'complete', _meta } });
    });
  });

  describe('questions', () => {
    it('are elicitations that any replica takes the answer to, once (MCP-ASK-1, -2)', async () => {
      const asked = await ann.with(FORMS).call('asking', { text: 'go' });
      const [key = ''] = Object.keys(asked.inputRequests as object);
      expect(asked).toMatchObject({
        resultType: 'input_required',
        inputRequests: {
          [key]: {
            method: 'elicitation/create',
            params: { message: 'Which number?', requestedSchema: { required: ['n'] } },
          },
        },
      });
      const answer = (n: unknown): JsonObject => ({
        inputResponses: { [key]: { action: 'accept', content: { n } } },
        requestState: asked.requestState,
      });
      const there = annElsewhere.with(FORMS);
      expect(await there.call('asking', { text: 'go' }, answer('seven'))).toMatchObject({
        resultType: 'input_required',
      });
      const first = await there.call('asking', { text: 'go' }, answer(7));
      expect(first).toMatchObject({ content: [{ text: 'got [{"n":7}] ' }] });
      expect(await ann.with(FORMS).call('asking', { text: 'go' }, answer(7))).toEqual(first);
      for (const [client, args, more] of [
        [ann, { text: 'go' }, answer(8)],
        [ann, { text: 'other' }, answer(7)],
        [bob, { text: 'go' }, answer(7)],
      ] as const) {
        const { response } = await client
          .with(FORMS)
          .request('tools/call', { name: 'asking', arguments: args, ...more });
        expect(response.error?.code).toBe(-32602);
      }
    });

    it('of a skill that goes on with the answer are asked alike (MCP-ASK-1)', async () => {
      const asked = await ann.with(FORMS).call('inquiring', { text: 'go' });
      const [key = ''] = Object.keys(asked.inputRequests as object);
      const inputResponses = { [key]: { action: 'accept', content: { answer: 'red' } } };
      const more = { inputResponses, requestState: asked.requestState };
      const result = await annElsewhere.with(FORMS).call('inquiring', { text: 'go' }, more);
      expect(result).toMatchObject({ content: [{ text: expect.stringContaining('"red"') }] });
    });

    it('that are logins are addresses, and the call goes on when the login has taken place (MCP-STATE-1)', async () => {
      const client = ann.with({ elicitation: { url: {} } });
      const asked = await client.call('asking', { text: 'login' });
      const [key = ''] = Object.keys(asked.inputRequests as object);
      const params = { mode: 'url', message: 'Log in.', url: 'https://login.example/', elicitationId: key };
      expect(asked.inputRequests).toEqual({ [key]: { method: 'elicitation/create', params } });

      const service = new RpcClient(one.url, { 'x-api-key': KEYS.ann });
      const { tasks } = (await service.call('ListTasks', { status: 'TASK_STATE_AUTH_REQUIRED' })).result as {
        readonly tasks: readonly { readonly id: string }[];
      };
      await service.task('SendMessage', aMessage('done', { taskId: tasks[0]?.id }));
      const more = { inputResponses: { [key]: { action: 'accept' } }, requestState: asked.requestState };
      expect(await client.call('asking', { text: 'login' }, more)).toMatchObject({
        content: [{ text: 'got [] done' }],
      });
    });

    it('that are declined cancel the task', async () => {
      const asked = await ann.with(FORMS).call('asking', { text: 'go' });
      const [key = ''] = Object.keys(asked.inputRequests as object);
      const declined = { inputResponses: { [key]: { action: 'decline' } }, requestState: asked.requestState };
      expect(await ann.with(FORMS).call('asking', { text: 'go' }, declined)).toMatchObject({ isError: true });
    });

    it('are words and tools for clients that show none (MCP-WORK-3)', async () => {
      const result = await ann.call('asking', { text: 'go' });
      const { 'parley/taskId': taskId } = result._meta as Record<string, string>;
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Which number?') }] });
      expect(await annElsewhere.call('parley_task_answer', { taskId, content: { n: 3 } })).toMatchObject({
        content: [{ text: 'got [{"n":3}] ' }],
      });
    });

    it('of tasks are answered by updates', async () => {
      const { _meta } = await ann.call('asking', { text: 'go' });
      const { 'parley/taskId': taskId } = _meta as Record<string, string>;
      const client = ann.with({ ...TASKS, ...FORMS });
      const { inputRequests } = await client.result('tasks/get', { taskId });
      const [key = ''] = Object.keys(inputRequests as object);
      const inputResponses = { [key]: { action: 'accept', content: { n: 9 } }, other: {} };
      expect(await client.result('tasks/update', { taskId, inputResponses })).toEqual({ resultType: 'complete' });
      expect(await client.result('tasks/get', { taskId })).toMatchObject({
        status: 'completed',
        result: { content: [{ text: 'got [{"n":9}] ' }] },
      });
    });
  });

  describe('sessions of older revisions', () => {
    it('are sealed ids: any replica serves them, nobody else can use them (MCP-SESSION-1, MCP-SEC-4)', async () => {
      const session = await McpSession.begin(ann, {}, '2025-06-18');
      expect(session.begun).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'parley' } });
      const called = await session.at(annElsewhere).request(1, 'tools/call', { name: 'double', arguments: { n: 2 } });
      expect(called.response.result).toMatchObject({ structuredContent: { n: 4 } });
      expect(called.response.result).not.toHaveProperty('resultType');
      const foreign = await session.at(bob).request(1, 'tools/list');
      const forged = await McpSession.begin(ann).then(async () =>
        bob.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': 's1.k.AAAA' }),
      );
      expect([foreign.status, foreign.response.error]).toEqual([
        404,
        ((await forged.json()) as { error: unknown }).error,
      ]);
    });

    it('have no events and no questions for another caller (MCP-SEC-4)', async () => {
      const session = await McpSession.begin(ann);
      const { eventIds } = await session.request('cut', 'tools/call', {
        name: 'double',
        arguments: { n: 6, ms: 20 },
        _meta: { progressToken: 1 },
      });
      const [event = ''] = eventIds;
      const theirs = await McpSession.begin(bob);
      const none = `${Buffer.from('["none"]').toString('base64url')}.2-x`;
      const [foreign, unknown] = [await theirs.resume(event), await theirs.resume(none)];
      expect([foreign.status, foreign.messages]).toEqual([unknown.status, []]);
      expect((await session.resume(event)).response.result).toMatchObject({ structuredContent: { n: 12 } });
      const { requestState } = await ann.with(FORMS).call('asking', { text: 'go' });
      const stated = async (state: unknown): Promise<string> =>
        withoutNames(
          await bob.with(FORMS).request('tools/call', {
            name: 'asking',
            arguments: { text: 'go' },
            inputResponses: {},
            requestState: state,
          }),
        );
      expect(await stated(requestState)).toBe(await stated('s1.k.AAAA'));
    });

    it('take the revision that is asked for, else the newest, and no batches (MCP-VER-2)', async () => {
      expect((await McpSession.begin(ann, {}, '1999-01-01')).begun).toMatchObject({ protocolVersion: '2025-11-25' });
      const batch = await ann.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
      expect(batch.status).toBe(400);
      const none = await ann.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      expect([none.status, await none.text()]).toEqual([400, expect.stringContaining('2025-11-25')]);
    });

    it('ask on the stream, and take the answer at another replica (MCP-SESSION-3)', async () => {
      const session = await McpSession.begin(ann, { elicitation: {} });
      const stream = messagesOf(
        await session.post({ id: 'c', method: 'tools/call', params: { name: 'asking', arguments: { text: 'go' } } }),
      );
      const question = (await stream.next()).value as { id: string; method: string };
      expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Which number?' } });
      const answered = await session
        .at(annElsewhere)
        .post({ id: question.id, result: { action: 'accept', content: { n: 5 } } });
      expect(answered.status).toBe(202);
      expect((await stream.next()).value).toMatchObject({ id: 'c', result: { content: [{ text: 'got [{"n":5}] ' }] } });
    });

    it('resume a cut stream at another replica: what was missed, then the response (MCP-SESSION-2)', async () => {
      const session = await McpSession.begin(ann);
      const leave = new AbortController();
      const params = { name: 'double', arguments: { n: 6, ms: 400 }, _meta: { progressToken: 1 } };
      const response = await session.post({ id: 'cut', method: 'tools/call', params }, { signal: leave.signal });
      const reader = response.body?.getReader();
      const first = new TextDecoder().decode((await reader?.read())?.value);
      leave.abort();
      const [, lastEventId = ''] = /^id: (\S+)/.exec(first) ?? [];
      const resumed = await session.at(annElsewhere).resume(lastEventId);
      expect(resumed.messages.at(-1)).toMatchObject({ id: 'cut', result: { structuredContent: { n: 12 } } });
    });

    it('goes on behind the last event that a client has seen, however often it comes back (MCP-SESSION-2)', async () => {
      const session = await McpSession.begin(ann);
      const params = { name: 'double', arguments: { n: 6, ms: 20 }, _meta: { progressToken: 1 } };
      const { eventIds } = await session.request('again', 'tools/call', params);
      const last = eventIds.at(-1) ?? '';
      expect(last).toMatch(/\.\d+-[\w-]+$/);
      expect((await session.at(annElsewhere).resume(last)).eventIds).toEqual([last]);
    });

    it('leave a replica that shuts down, and go on at another one (MCP-SESSION-2)', async () => {
      const leaving = await aReplica();
      const session = await McpSession.begin(as(leaving, KEYS.ann), { elicitation: {} });
      const calls = [
        { name: 'double', arguments: { n: 6, ms: 400 }, _meta: { progressToken: 1 } },
        { name: 'asking', arguments: { text: 'go' } },
      ];
      const streams = await Promise.all(calls.map((params, id) => session.post({ id, method: 'tools/call', params })));
      const [, texts] = await Promise.all([leaving.close(), Promise.all(streams.map((stream) => stream.text()))]);
      for (const text of texts) {
        expect(text).toMatch(/^retry: \d+$/m);
        expect(text).not.toContain('"result"');
      }
      const [doubled = '', asked = ''] = texts.map((text) => [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '');
      const elsewhere = session.at(annElsewhere);
      expect((await elsewhere.resume(doubled)).response.result).toMatchObject({ structuredContent: { n: 12 } });
      const stream = messagesOf(await annElsewhere.open({ 'mcp-session-id': session.id, 'last-event-id': asked }));
      const question = (await stream.next()).value as { id: string };
      await elsewhere.post({ id: question.id, result: { action: 'accept', content: { n: 5 } } });
      expect((await stream.next()).value).toMatchObject({ id: 1, result: { content: [{ text: 'got [{"n":5}] ' }] } });
    });

    it('cancel a call at another replica, and not by a lost connection', async () => {
      const session = await McpSession.begin(ann);
      const { aborted, runs } = SEEN;
      const call = session.request(77, 'tools/call', { name: 'endless', arguments: { text: 'x' } });
      await eventually(() => {
        expect(SEEN.runs).toBe(runs + 1);
      });
      expect(SEEN.aborted).toBe(aborted);
      const cancel = { method: 'notifications/cancelled', params: { requestId: 77 } };
      expect((await session.at(annElsewhere).post(cancel)).status).toBe(202);
      await eventually(() => {
        expect(SEEN.aborted).toBe(aborted + 1);
      });
      expect((await call).response.result).toMatchObject({ isError: true });
    });
  });

  describe('the door', () => {
    const raw = (
      headers: Readonly<Record<string, string>>,
      method = 'POST',
    ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }> =>
      new Promise((resolve, reject) => {
        const { port } = new URL(one.url);
        const request = httpRequest({ host: '127.0.0.1', port, path: '/mcp', method, headers }, (response) => {
          response.resume();
          resolve({ status: response.statusCode ?? 0, headers: response.headers });
        });
        request.on('error', reject).end(method === 'POST' ? '{}' : undefined);
      });

    it('refuses pages of other origins and rebound names before anything else (MCP-AUTH-4, MCP-SEC-3)', async () => {
      const json = { 'content-type': 'application/json' };
      expect((await raw({ ...json, origin: 'https://evil.example' })).status).toBe(403);
      expect((await raw({ ...json, host: 'evil.example' })).status).toBe(403);
      expect((await raw({ ...json, origin: 'http://localhost:5173' })).status).toBe(401);
      const preflight = await raw({ origin: 'http://localhost:5173' }, 'OPTIONS');
      expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
        204,
        'http://localhost:5173',
      ]);
    });

    it('answers callers without a credential with 401 and a JSON-RPC error', async () => {
      const response = await new McpClient(one.url).post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      expect([response.status, await response.json()]).toMatchObject([401, { jsonrpc: '2.0', error: { code: 401 } }]);
      expect(response.headers.get('www-authenticate')).toMatch(/^ApiKey /);
    });

    it('does not trust headers that differ from the body: nothing is written (MCP-AUTH-5, MCP-SEC-6)', async () => {
      const before = await new RpcClient(one.url, { 'x-api-key': KEYS.ann }).call('ListTasks', {});
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const body = {
        jsonrpc: '2.0',
        id: 9,
        method: 'tools/call',
        params: { name: 'double', arguments: { n: 1 }, _meta },
      };
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'quick' };
      const response = await ann.post(body, headers);
      expect([response.status, await response.json()]).toMatchObject([400, { id: 9, error: { code: -32020 } }]);
      const after = await new RpcClient(one.url, { 'x-api-key': KEYS.ann }).call('ListTasks', {});
      expect(after.result?.totalSize).toBe(before.result?.totalSize);
    });

    it.each(['GET', 'DELETE'])('takes no %s without a stream to resume', async (method) => {
      const answer = await raw({ 'x-api-key': KEYS.ann }, method);
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    });

    it('wants both kinds of answers accepted', async () => {
      expect(
        (await raw({ 'x-api-key': KEYS.ann, 'content-type': 'application/json', accept: 'application/json' })).status,
      ).toBe(406);
    });
  });
});

describe('the MCP endpoint of one era', () => {
  it('names its revisions to clients of others (MCP-VER-3)', async () => {
    const app = await runApp({ MCP: 'true', PARLEY_FILE: settingsFile({ mcp: { eras: 'modern' } }) });
    try {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } };
      const response = await new McpClient(app.url).post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2025-11-25' } } },
      ]);
    } finally {
      await app.close();
    }
  });

  it('answers the call of docs/mcp.md', async () => {
    const app = await runApp({ MCP: 'true' });
    try {
      const text = readFileSync('docs/mcp.md', 'utf8');
      const [block = ''] = [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
        .map(([, script = '']) => script)
        .filter((script) => script.startsWith('curl'));
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', block], {
        env: { ...process.env, URL: app.url },
      });
      expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'Hello' }] } });
    } finally {
      await app.close();
    }
  });

  it('is not there unless it is switched on', async () => {
    const app = await runApp();
    try {
      expect((await new McpClient(app.url).post({})).status).toBe(404);
    } finally {
      await app.close();
    }
  });
});
