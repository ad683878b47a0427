import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import type { SkillStatus } from '@parley/sdk/skill/events.js';
import { eventually } from '../../kit/run/eventually.js';
import { aMessage, RpcClient, type SseEvent } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED, type Step } from '../../kit/skills/scripted.skill.js';

type Parsed = ReturnType<typeof JSON.parse>;

let running: RunningApp;
let client: RpcClient;

const NO_TASK = '00000000-0000-4000-8000-000000000000';
const status = (state: SkillStatus, text: string): Step => ({ kind: 'status', state, parts: [{ text }] });
const working = (text: string): Step => status('TASK_STATE_WORKING', text);
const asks = status('TASK_STATE_INPUT_REQUIRED', 'Which city?');
const needsAuth = status('TASK_STATE_AUTH_REQUIRED', 'Log in at the bank');
const piece = (text: string, rest: object = {}): Step => ({
  ...{ kind: 'artifact', artifactId: 'a', parts: [{ text }], append: false, lastChunk: true },
  ...rest,
});
const wait = (ms: number): Step => ({ kind: 'wait', ms });
const tell: Step = { kind: 'tell' };

/** A message that says what the skill is to do with it. */
function says(script: readonly Step[], rest: Readonly<Record<string, unknown>> = {}): { message: Parsed } {
  const { message } = aMessage('Hello');
  return { message: { ...message, metadata: { script }, ...rest } };
}

async function sent(script: readonly Step[], rest: Readonly<Record<string, unknown>> = {}): Promise<Task> {
  return client.task('SendMessage', says(script, rest));
}

async function started(script: readonly Step[]): Promise<Task> {
  return client.task('SendMessage', { ...says(script), configuration: { returnImmediately: true } });
}

async function collected(events: AsyncIterable<SseEvent>): Promise<readonly Parsed[]> {
  const all: Parsed[] = [];
  for await (const { data } of events) all.push(data.result);
  return all;
}

function streamOf(script: readonly Step[], rest: Readonly<Record<string, unknown>> = {}): AsyncGenerator<SseEvent> {
  return client.stream('SendStreamingMessage', says(script, rest));
}

const texts = (task: Task): readonly unknown[] =>
  (task.history ?? []).map(({ parts: [part] }) => (part !== undefined && 'text' in part ? part.text : part));
const toldBy = (task: Task): Parsed => {
  const part = task.artifacts?.find(({ artifactId }) => artifactId === 'told')?.parts[0];
  return part !== undefined && 'data' in part ? part.data : undefined;
};

describe('semantics', () => {
  beforeAll(async () => {
    running = await runApp({ DEFAULT_SKILL: 'scripted' }, SCRIPTED);
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
  });

  describe('a task that asks', () => {
    it('goes on with the answer: same task, same context, one history (A2A-ID-07, A2A-SEND-07, A2A-SEND-21, SEED-10, TRAP-31, O-43, A2A-SEND-02, A2A-BLK-01)', async () => {
      const task = await sent([working('Reading'), asks]);
      expect(task.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', message: { role: 'ROLE_AGENT' } });
      const done = await sent([tell], { taskId: task.id, parts: [{ text: 'Berlin' }] });
      expect(done).toMatchObject({ id: task.id, contextId: task.contextId, status: { state: 'TASK_STATE_COMPLETED' } });
      expect(texts(done)).toEqual(['Hello', 'Reading', 'Which city?', 'Berlin']);
      expect(toldBy(done)).toMatchObject({ turn: 2, messages: [{ parts: [{ text: 'Berlin' }] }] });
    });

    it('ends its streams, and can be subscribed to until the next turn has ended (A2A-STRM-04, A2A-STRM-10, TRAP-05, TRAP-50)', async () => {
      const seen = await collected(streamOf([asks]));
      expect(seen.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
      const { id } = seen[0].task;
      const subscribed = client.stream('SubscribeToTask', { id });
      const first = (await subscribed.next()).value as SseEvent;
      expect(first.data.result).toMatchObject({ task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
      await sent([piece('Berlin')], { taskId: id });
      const later = await collected(subscribed);
      expect(later.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    });
  });

  describe('a task that needs authorisation', () => {
    it('says so, answers blocking callers, keeps streams open and takes messages (A2A-BLK-01, A2A-TASKAUTH-01, A2A-TASKAUTH-03, A2A-TASKAUTH-06, A2A-STRM-04, TRAP-05)', async () => {
      const stream = streamOf([needsAuth]);
      const { id } = ((await stream.next()).value as SseEvent).data.result!.task!;
      const rest = collected(stream);
      await eventually(async () => {
        const { status } = await client.task('GetTask', { id });
        expect(status).toMatchObject({
          state: 'TASK_STATE_AUTH_REQUIRED',
          message: { parts: [{ text: expect.any(String) }] },
        });
      });
      expect((await sent([needsAuth], { taskId: id })).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
      expect((await sent([piece('done')], { taskId: id })).status.state).toBe('TASK_STATE_COMPLETED');
      const states = (await rest).map((event) => event.statusUpdate?.status.state);
      expect(states).toContain('TASK_STATE_AUTH_REQUIRED');
      expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
    });
  });

  describe('a direct answer', () => {
    const answer = [status('TASK_STATE_COMPLETED', 'Hi')];
    const toDirect = { metadata: { skillId: 'direct', script: answer } };

    it('has a context, no task, and comes at once whatever is asked (A2A-SEND-04, A2A-SEND-22)', async () => {
      const request = { ...says([], toDirect), configuration: { returnImmediately: true } };
      const { message } = (await client.call('SendMessage', request)).result as Parsed;
      expect(message).toMatchObject({ role: 'ROLE_AGENT', contextId: expect.any(String), parts: [{ text: 'Hi' }] });
      expect(message).not.toHaveProperty('taskId');
    });

    it('is the one event of a stream (A2A-STRM-02)', async () => {
      const seen = await collected(streamOf([], toDirect));
      expect(seen).toEqual([{ message: expect.objectContaining({ role: 'ROLE_AGENT' }) }]);
    });
  });

  describe('task ids', () => {
    it('are made by the server: a message for an unknown one makes no task (A2A-ID-01, A2A-ID-02, A2A-SEND-05)', async () => {
      expect((await client.call('SendMessage', says([], { taskId: NO_TASK }))).error?.code).toBe(-32001);
      expect((await client.call('GetTask', { id: NO_TASK })).error?.code).toBe(-32001);
      expect((await sent([])).id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('of other tasks are given to the skill, be they known or not (A2A-SEND-18, A2A-ID-08)', async () => {
      const old = await sent([piece('draft')]);
      const referenceTaskIds = [old.id, NO_TASK];
      const refined = await sent([tell, piece('final')], { contextId: old.contextId, referenceTaskIds });
      expect(refined.id).not.toBe(old.id);
      expect(refined.contextId).toBe(old.contextId);
      expect(toldBy(refined).messages[0].referenceTaskIds).toEqual(referenceTaskIds);
    });
  });

  describe('context ids', () => {
    it('are any text of the client (A2A-ID-03)', async () => {
      const contextId = `trip/Zürich ${randomUUID()}`;
      expect((await sent([], { contextId })).contextId).toBe(contextId);
      const { result } = await client.call('ListTasks', { contextId });
      expect(result).toMatchObject({ totalSize: 1 });
    });
  });

  describe('a message for a task at work', () => {
    it('waits for the next turn of the same task (A2A-SEND-23)', async () => {
      const { id } = await started([working('Reading'), wait(300)]);
      await eventually(async () => {
        expect((await client.task('GetTask', { id })).status.state).toBe('TASK_STATE_WORKING');
      });
      const done = await sent([tell], { taskId: id, parts: [{ text: 'and this' }] });
      expect(done).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
      expect(toldBy(done)).toMatchObject({ turn: 2, messages: [{ parts: [{ text: 'and this' }] }] });
    });
  });

  describe('blocking calls', () => {
    it('answer with the task as it stands when the cap is reached (A2A-BLK-02)', async () => {
      const impatient = await runApp({ DEFAULT_SKILL: 'scripted', BLOCKING_MS: '200' }, SCRIPTED);
      try {
        const task = await new RpcClient(impatient.url).task('SendMessage', says([working('Reading'), wait(10_000)]));
        expect(task.status.state).toMatch(/SUBMITTED|WORKING/);
      } finally {
        await impatient.close();
      }
    });

    it('are not what a task lives by: it goes on when the caller has gone (A2A-BLK-03, TRAP-32)', async () => {
      const contextId = randomUUID();
      const leaving = new AbortController();
      const call = fetch(`${running.url}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
          params: says([working('Reading'), wait(300)], { contextId }),
        }),
        signal: leaving.signal,
      });
      await eventually(async () => {
        expect((await client.call('ListTasks', { contextId })).result).toMatchObject({ totalSize: 1 });
      });
      leaving.abort();
      await expect(call).rejects.toThrow();
      await eventually(async () => {
        const { tasks } = (await client.call('ListTasks', { contextId })).result as { tasks: Task[] };
        expect(tasks[0]?.status.state).toBe('TASK_STATE_COMPLETED');
      });
    });
  });

  describe('a skill that fails', () => {
    it('fails the task that was given out, with its text (A2A-BLK-05, A2A-STRM-14, SEED-08, TRAP-60)', async () => {
      const seen = await collected(streamOf([working('Reading'), { kind: 'fail', text: 'The file is empty.' }]));
      expect(seen.at(-1)).toMatchObject({
        statusUpdate: {
          taskId: seen[0].task.id,
          status: { state: 'TASK_STATE_FAILED', message: { parts: [{ text: 'The file is empty.' }] } },
        },
      });
    });

    it('reveals nothing internal after an unexpected fault (A2A-RPC-07)', async () => {
      const task = await sent([{ kind: 'break', text: 'secret of the house' }]);
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      expect(JSON.stringify(task.status)).not.toContain('secret of the house');
    });
  });

  describe('events', () => {
    it('name their task and context, and results are artifacts (A2A-STRM-13, A2A-SEND-19)', async () => {
      const [first, ...updates] = await collected(streamOf([working('Reading'), piece('Hello')]));
      const { id: taskId, contextId } = first.task;
      for (const event of updates)
        expect(Object.values(event)).toEqual([expect.objectContaining({ taskId, contextId })]);
      expect((await client.task('GetTask', { id: taskId })).artifacts).toMatchObject([{ parts: [{ text: 'Hello' }] }]);
    });

    it('are UTF-8 as it is, on one line (A2A-JSON-10, TRAP-54)', async () => {
      const response = await client.post({
        ...{ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: says([piece('Grüße\n☃')]) },
      });
      expect(await response.text()).toContain('"Grüße\\n☃"');
    });
  });

  describe('artifacts', () => {
    it('are replaced, appended to, and keep what they were called (A2A-ART-01, A2A-ART-02, A2A-ART-06, SEED-17)', async () => {
      const named = { name: 'Answer', metadata: { a: 1 } };
      const task = await sent([
        piece('old'),
        piece('new', { lastChunk: false, ...named }),
        piece('er', { append: true, metadata: { b: 2 } }),
        piece('other', { artifactId: 'b' }),
      ]);
      expect(task.artifacts).toEqual([
        { artifactId: 'a', name: 'Answer', metadata: { a: 1, b: 2 }, parts: [{ text: 'new' }, { text: 'er' }] },
        { artifactId: 'b', parts: [{ text: 'other' }] },
      ]);
    });

    it.each([
      ['nothing in it (A2A-ART-05)', [piece('', { parts: [] })]],
      ['a piece after its last (A2A-ART-03)', [piece('x', { append: true }), piece('y', { append: true })]],
    ])('with %s are a fault of the skill', async (_what, script) => {
      expect((await sent(script)).status.state).toBe('TASK_STATE_FAILED');
    });
  });

  describe('historyLength', () => {
    it('trims the answer of every operation alike, and nothing that is stored (A2A-SEND-20, A2A-HIST-05)', async () => {
      const contextId = randomUUID();
      const request = (historyLength: number): object => ({
        ...says([working('one'), working('two'), piece('x')], { contextId }),
        configuration: { historyLength },
      });
      const none = await client.task('SendMessage', request(0));
      expect(none).not.toHaveProperty('history');
      const last = await client.task('SendMessage', request(1));
      expect(texts(last)).toEqual(['two']);
      expect(texts(await client.task('GetTask', { id: last.id }))).toEqual(['Hello', 'one', 'two']);
      const { tasks } = (await client.call('ListTasks', { contextId, historyLength: 1 })).result as { tasks: Task[] };
      expect(tasks.map(texts)).toEqual([['two'], ['two']]);
    });
  });

  describe('ListTasks', () => {
    it('always has its four members, and artifacts only when asked for (A2A-LIST-06, A2A-LIST-08, A2A-LIST-12, TCK-02, A2A-LIST-05, A2A-LIST-07)', async () => {
      const contextId = randomUUID();
      const empty = await client.call('ListTasks', { contextId });
      expect(empty.result).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
      await sent([piece('x')], { contextId });
      const list = async (params: object): Promise<Parsed> =>
        (await client.call('ListTasks', { contextId, ...params })).result;
      expect((await list({})).tasks[0]).not.toHaveProperty('artifacts');
      expect(await list({ includeArtifacts: true, pageSize: 7 })).toMatchObject({
        pageSize: 7,
        tasks: [{ artifacts: [{ artifactId: 'a' }] }],
      });
    });

    it('joins its filters, time included (A2A-LIST-09, TRAP-36, TCK-02)', async () => {
      const contextId = randomUUID();
      const { status } = await sent([piece('x')], { contextId });
      await sent([asks], { contextId });
      const idsOf = async (params: object): Promise<number> =>
        ((await client.call('ListTasks', { contextId, ...params })).result as Parsed).totalSize;
      expect(await idsOf({ status: 'TASK_STATE_COMPLETED' })).toBe(1);
      expect(await idsOf({ status: 'TASK_STATE_COMPLETED', statusTimestampAfter: status.timestamp })).toBe(1);
      expect(await idsOf({ statusTimestampAfter: '2999-01-01T00:00:00Z' })).toBe(0);
      // Beyond the digits that the index has for a time (L1).
      expect(await idsOf({ statusTimestampAfter: '5200-01-01T00:00:00Z' })).toBe(0);
      expect(await idsOf({ status: 'TASK_STATE_UNSPECIFIED' })).toBe(2);
    });
  });

  describe('the JSON of answers', () => {
    it('has times in UTC with milliseconds (A2A-JSON-03)', async () => {
      expect((await sent([])).status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });
  });

  describe('the JSON-RPC binding', () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: NO_TASK } });

    it.each(['application/json', 'application/a2a+json', 'application/json; charset=utf-8'])(
      'takes %s and answers application/json (A2A-RPC-01)',
      async (type) => {
        const response = await client.post(body, { 'content-type': type });
        expect(response.headers.get('content-type')).toContain('application/json');
        expect(await response.json()).toMatchObject({ id: 1, error: { code: -32001 } });
      },
    );

    it('reads the names of headers in any case (A2A-RPC-12)', async () => {
      const headers = { 'Content-Type': 'application/json', 'A2A-VERSION': '7.0' };
      const response = await fetch(`${running.url}/`, { method: 'POST', headers, body });
      expect(await response.json()).toMatchObject({ error: { code: -32009 } });
    });
  });
});
