import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { collect } from '../../kit/callers/collect.js';
import { aMessage, RpcClient, type SseEvent } from '../../kit/callers/rpc-client.js';

let running: RunningApp;
let client: RpcClient;

/** What an event is, and the state that it tells of. */
function shape({ data }: SseEvent): string {
  const result = data.result as Record<string, { status?: { state: string } }>;
  const [kind = ''] = Object.keys(result);
  return `${kind} ${result[kind]?.status?.state ?? ''}`.trim();
}

function numberOf({ id }: SseEvent): number {
  return Number(id?.split('-')[0]);
}

describe('conversation', () => {
  beforeAll(async () => {
    running = await runApp();
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
  });

  describe('SendMessage', () => {
    it('waits for the task to be finished and gives its artifact (A2A-SEND-01, -02, TRAP-07)', async () => {
      const task = await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(task.artifacts).toMatchObject([{ artifactId: 'echo', parts: [{ text: 'Hello' }] }]);
      expect(task.history?.[0]).toMatchObject({
        taskId: task.id,
        contextId: task.contextId,
        parts: [{ text: 'Hello' }],
      });
    });

    it('returns at once when told to, and the task goes on (A2A-SEND-03)', async () => {
      const params = { ...aMessage('1', { skillId: 'countdown' }), configuration: { returnImmediately: true } };
      const task = await client.task('SendMessage', params);
      expect(task.status.state).not.toBe('TASK_STATE_COMPLETED');
      const events = await collect(client.stream('SubscribeToTask', { id: task.id }));
      expect(shape(events.at(-1)!)).toBe('statusUpdate TASK_STATE_COMPLETED');
    });

    it('gives the same task for the same message, and refuses its id for another (A2A-SEND-14)', async () => {
      const params = aMessage('once', { skillId: 'echo' });
      const [first, second] = await Promise.all([
        client.task('SendMessage', params),
        client.task('SendMessage', params),
      ]);
      expect(second.id).toBe(first.id);
      const other = { message: { ...params.message, parts: [{ text: 'another' }] } };
      expect((await client.call('SendMessage', other)).error?.code).toBe(-32602);
    });

    it('keeps the context of the client and makes one where there is none (A2A-SEND-09, -10, -11)', async () => {
      const contextId = randomUUID();
      const one = await client.task('SendMessage', aMessage('a', { skillId: 'echo', contextId }));
      const two = await client.task('SendMessage', aMessage('b', { skillId: 'echo', contextId }));
      expect([one.contextId, two.contextId]).toEqual([contextId, contextId]);
      expect(two.id).not.toBe(one.id);
      expect((await client.task('SendMessage', aMessage('c', { skillId: 'echo' }))).contextId).toMatch(
        /^[0-9a-f-]{36}$/,
      );
    });

    it('keeps data parts, metadata and extensions as they came (A2A-EXT-06, SEED-21)', async () => {
      const parts = [{ data: { a: [], big: 9007199254740991, nothing: null } }, { text: 'ü', metadata: { k: [1] } }];
      const task = await client.task('SendMessage', {
        ...aMessage('', { skillId: 'echo', parts, extensions: ['urn:x'] }),
        metadata: { trip: 1 },
      });
      expect(task.history?.[0]?.parts).toEqual(parts);
      expect(task.history?.[0]?.extensions).toEqual(['urn:x']);
      expect(task.metadata).toEqual({ trip: 1 });
    });
  });

  describe('streams', () => {
    it('gives the task first, every event in order with its number, and ends with the task (A2A-STRM-02, -03, -05, O-84)', async () => {
      const events = await collect(client.stream('SendStreamingMessage', aMessage('1', { skillId: 'countdown' })));
      expect(events.map(shape)).toEqual([
        'task TASK_STATE_SUBMITTED',
        'statusUpdate TASK_STATE_WORKING',
        'statusUpdate TASK_STATE_WORKING',
        'artifactUpdate',
        'artifactUpdate',
        'statusUpdate TASK_STATE_COMPLETED',
      ]);
      expect(events.map(numberOf)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it('shows every reader the same, and a reader that leaves disturbs nobody (A2A-STRM-05, -06, -07, TRAP-32)', async () => {
      const stream = client.stream('SendStreamingMessage', aMessage('2', { skillId: 'countdown' }));
      const first = (await stream.next()).value as SseEvent;
      const { id } = (first.data.result as { task: { id: string } }).task;
      const leaver = client.stream('SubscribeToTask', { id });
      await leaver.next();
      await leaver.return(undefined);
      const [one, two] = await Promise.all([collect(stream), collect(client.stream('SubscribeToTask', { id }))]);
      const seen = two.slice(1).map(({ data }) => data.result);
      expect(seen).toEqual(one.map(({ data }) => data.result).slice(-seen.length));
      expect(shape(one.at(-1)!)).toBe('statusUpdate TASK_STATE_COMPLETED');
    });

    it('resumes after the last event that was seen, also when the task has ended (SEED-12)', async () => {
      const all = await collect(client.stream('SendStreamingMessage', aMessage('1', { skillId: 'countdown' })));
      const { id } = (all[0]?.data.result as { task: { id: string } }).task;
      const rest = await collect(client.stream('SubscribeToTask', { id }, { 'last-event-id': all[2]?.id ?? '' }));
      expect(rest.map(({ id: eventId }) => eventId)).toEqual(all.slice(2).map(({ id: eventId }) => eventId));
      expect(rest[0]?.data.result?.task).toEqual({ id, contextId: expect.any(String), status: expect.any(Object) });
      expect(rest.slice(1).map(({ data }) => data.result)).toEqual(all.slice(3).map(({ data }) => data.result));
    });

    it('has nothing to subscribe to on a finished task (A2A-STRM-09)', async () => {
      const task = await client.task('SendMessage', aMessage('x', { skillId: 'echo' }));
      expect((await client.call('SubscribeToTask', { id: task.id })).error?.code).toBe(-32004);
    });
  });

  describe('CancelTask', () => {
    it('stops a running skill and ends its streams (A2A-CANC-01, -03, -05, -07, TRAP-06)', async () => {
      const stream = client.stream('SendStreamingMessage', aMessage('60', { skillId: 'countdown' }));
      const first = (await stream.next()).value as SseEvent;
      const { id } = (first.data.result as { task: { id: string } }).task;
      const rest = collect(stream);
      expect((await client.task('CancelTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
      expect(shape((await rest).at(-1)!)).toBe('statusUpdate TASK_STATE_CANCELED');
      expect((await client.call('CancelTask', { id })).error?.code).toBe(-32002);
    });
  });

  describe('GetTask', () => {
    it('gives as much history as asked for (A2A-HIST-01, -02, -03, -04, TRAP-30)', async () => {
      const { id } = await client.task('SendMessage', aMessage('1', { skillId: 'countdown' }));
      const [all, none, one] = await Promise.all(
        [{ id }, { id, historyLength: 0 }, { id, historyLength: 1 }].map((params) => client.task('GetTask', params)),
      );
      expect(all?.history).toHaveLength(2);
      expect(none).not.toHaveProperty('history');
      expect(one?.history).toEqual(all?.history?.slice(-1));
      for (const historyLength of [-1, 1.5]) {
        expect((await client.call('GetTask', { id, historyLength })).error?.code).toBe(-32602);
      }
    });
  });

  describe('ListTasks', () => {
    it('pages through the tasks of a context, youngest first (A2A-LIST-02, -03, -04, -11, TCK-02)', async () => {
      const contextId = randomUUID();
      const ids: string[] = [];
      for (const text of ['a', 'b', 'c']) {
        ids.unshift((await client.task('SendMessage', aMessage(text, { skillId: 'echo', contextId }))).id);
      }
      const first = (await client.call('ListTasks', { contextId, pageSize: 2 })).result as Record<string, unknown>;
      expect(first).toMatchObject({ tasks: [{ id: ids[0] }, { id: ids[1] }], pageSize: 2, totalSize: 3 });
      const pageToken = first.nextPageToken;
      const last = (await client.call('ListTasks', { contextId, pageSize: 2, pageToken })).result;
      expect(last).toMatchObject({ tasks: [{ id: ids[2] }], nextPageToken: '', totalSize: 3 });
      expect((await client.call('ListTasks', { pageSize: 2, pageToken })).error?.code).toBe(-32602);
    });

    it.each([
      { pageSize: 0 },
      { pageSize: 101 },
      { status: 'NOPE' },
      { statusTimestampAfter: 'soon' },
      { statusTimestampAfter: '2020-W01-1' },
      { statusTimestampAfter: '2026-01-31T12:00:00' },
      { pageToken: 'x' },
    ])('refuses %j (A2A-LIST-05, -10, TRAP-64, TCK-02)', async (params) => {
      expect((await client.call('ListTasks', params)).error?.code).toBe(-32602);
    });
  });

  describe('agent card', () => {
    it('is open, cacheable, and lists the skills that are there (A2A-CARD-01, -02, -03, TCK-06)', async () => {
      const response = await fetch(`${running.url}/.well-known/agent-card.json`);
      const card = (await response.json()) as { skills: { id: string }[]; supportedInterfaces: { url: string }[] };
      expect(card.skills.map(({ id }) => id)).toEqual(expect.arrayContaining(['echo', 'summarize_text', 'countdown']));
      expect(card.supportedInterfaces[0]?.url).toBe(`${running.url}/`);
      expect(response.headers.get('cache-control')).toContain('max-age');
      const again = await fetch(`${running.url}/.well-known/agent-card.json`, {
        headers: { 'if-none-match': response.headers.get('etag') ?? '' },
      });
      expect(again.status).toBe(304);
    });
  });
});
