import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parleyAgent } from '@parley/client/agui/parley-agent.js';
import { resumingFetch } from '@parley/client/agui/resuming-fetch.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import {
  aRun,
  cuttingFetch,
  framesIn,
  framesOf,
  KEYS,
  ORIGIN,
  PageServices,
  type SeenFrame,
} from '../../kit/agui/page-service.js';
import { CLIENTS, say, seen, textsOf, VERSIONS } from '../../kit/agui/pages.js';
import { eventually } from '../../kit/run/eventually.js';

const NUMBERS = (count: number): string => Array.from({ length: count }, (_, n) => `${String(n)};`).join('');

describe('streams of a page that come back (AG-UI)', () => {
  let services: PageServices;
  let rpc: RpcClient;

  beforeAll(async () => {
    services = await PageServices.start(2, { RATE_WRITE: '1000000/1000000', RATE_READ: '1000000/1000000' });
    rpc = new RpcClient(services.base(), { 'x-api-key': KEYS.ann });
  });
  afterAll(() => services.close());

  const cutting = (lengths: readonly number[]) => cuttingFetch(services, lengths);
  const textIn = (frames: readonly SeenFrame[]): string => frames.map(({ delta = '' }) => String(delta)).join('');
  const stateOf = async (id: unknown): Promise<string> => (await rpc.task('GetTask', { id })).status.state;
  const taskIn = ({ metadata }: { readonly metadata?: unknown }): string =>
    (metadata as { parley: { taskId: string } }).parley.taskId;

  it('gives exactly the missed groups after the id of any frame, at any replica (AGUI-23, AGUI-26)', async () => {
    const body = aRun('20');
    const whole = await (await services.post('count', body)).text();
    const frames = framesIn(whole);
    for (const [index, { id }] of frames.entries()) {
      if (id === undefined) continue;
      const headers = { 'last-event-id': id };
      const rest = await (await services.post('count', body, { headers, replica: index % 2 })).text();
      const end = frames.length - 1;
      expect(framesIn(rest)).toEqual(frames.slice(index === end ? end : index + 1));
      if (index < end) expect(whole.endsWith(rest)).toBe(true);
    }
  });

  it.each(VERSIONS)('shows a page of the client %s one whole text, wherever its streams are cut', async (version) => {
    for (const lengths of [[300], [700, 150, 90], [1200, 10, 400, 5, 80]]) {
      const page = services.page('count', { version, fetch: resumingFetch(cutting(lengths)) });
      const { error, events } = await say(page, '40 2');
      expect(error).toBeUndefined();
      expect(textsOf(page)).toEqual([NUMBERS(40), 'counted']);
      expect(events.filter(({ type }) => type === 'RUN_FINISHED')).toHaveLength(1);
    }
  });

  it('gives a cursor of another task, a forged and an endless one the whole task (AGUI-24)', async () => {
    const body = aRun('5');
    await (await services.post('count', body)).text();
    const other = await framesOf(await services.post('tell', aRun('x')));
    const ids = [other.at(-1)?.id ?? '', '1-forged', '4;!', `5-x;${'a'.repeat(10_240)}`, ';;;', '99999-x'];
    for (const id of ids) {
      const frames = await framesOf(await services.post('count', body, { headers: { 'last-event-id': id } }));
      expect(frames.map(({ type }) => type)).toEqual(['MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
      expect(JSON.stringify(frames)).toContain(NUMBERS(5));
    }
  });

  it('ends in silence for a plain client, whose page opens the conversation again (AGUI-27, AGUI-29)', async () => {
    const page = services.page('count', {
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        const [first = '', second = '', third = ''] = (await response.text()).split('\n\n');
        return new Response(`${first}\n\n${second}\n\n${third}\n\n`, { headers: response.headers });
      },
    });
    const cut = await say(page, '10');
    expect(cut.error).toBeUndefined();
    expect(cut.events.some(({ type }) => type === 'RUN_FINISHED')).toBe(false);
    const Agent = parleyAgent(CLIENTS['1.0.0'] as never) as unknown as (typeof CLIENTS)['1.0.0'];
    const headers = { 'x-api-key': KEYS.ann };
    const again = new Agent({ url: services.url('count'), threadId: page.threadId, headers });
    await seen(again, (subscriber) => again.connectAgent({}, subscriber));
    const [user] = page.messages;
    expect(again.messages).toMatchObject([
      { id: user?.id, role: 'user', content: '10' },
      { content: NUMBERS(10) },
      { content: 'counted' },
    ]);
  });

  describe('a conversation that is opened again', () => {
    const connect = async (threadId: string, headers = {}): Promise<readonly SeenFrame[]> =>
      framesOf(await services.post('count/connect', { ...aRun(''), threadId, messages: [] }, { headers, replica: 1 }));

    it('has no messages of an unknown thread, and succeeds (AGUI-28)', async () => {
      expect((await connect(randomUUID())).map(({ type }) => type)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    });

    it('has the messages of a running task, and then the rest (AGUI-28)', async () => {
      const body = aRun('40 15');
      const live = services.post('count', body).then(framesOf);
      await eventually(async () => {
        const { result } = await rpc.call('ListTasks', { contextId: body.threadId });
        expect(result).toMatchObject({ totalSize: 1 });
      });
      const frames = await connect(body.threadId);
      expect(frames.slice(0, 2)).toMatchObject([
        { type: 'RUN_STARTED', runId: body.runId },
        {
          type: 'MESSAGES_SNAPSHOT',
          messages: expect.arrayContaining([expect.objectContaining({ content: '40 15' })]),
        },
      ]);
      const snapshot = frames[1] as unknown as { messages: readonly { id: string; content: string }[] };
      const before = snapshot.messages.find(({ id }) => id.endsWith('/numbers'))?.content ?? '';
      expect(`${before}${textIn(frames)}`).toBe(`${NUMBERS(40)}counted`);
      expect(frames.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      await live;
    });

    it('has the questions of a waiting task, and no second beginning for a reader that comes back (AGUI-28)', async () => {
      const page = services.page('confirm');
      const { events } = await say(page, 'go');
      const frames = await connect(page.threadId);
      expect(frames.at(-1)?.outcome).toEqual(events.at(-1)?.outcome);
      expect(frames[1]).toMatchObject({
        messages: page.messages.map(({ id, role, content }) => ({ id, role, content })),
      });
      const again = await connect(page.threadId, { 'last-event-id': '3-x' });
      expect(again.map(({ type }) => type)).toEqual(['MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    });

    it('has all tasks of the thread in order, and nothing of other owners (AGUI-28, AGUI-53, DOOR-4)', async () => {
      const page = services.page('count');
      await say(page, '2');
      await say(page, '3');
      await say(services.page('count', { caller: 'bob', threadId: page.threadId }), '4');
      const frames = await connect(page.threadId);
      const { messages } = frames[1] as unknown as { messages: readonly { content: string }[] };
      expect(messages.map(({ content }) => content)).toEqual(['2', '0;1;', 'counted', '3', '0;1;2;', 'counted']);
      expect(frames.at(-1)).toMatchObject({ outcome: { type: 'success' } });
    });
  });

  describe('the end by the page', () => {
    const started = async (more: object = {}) => {
      const body = aRun('400 25', more);
      const leave = new AbortController();
      const response = await fetch(services.url('count'), {
        ...{ method: 'POST', signal: leave.signal, body: JSON.stringify(body) },
        headers: { 'x-api-key': KEYS.ann, 'content-type': 'application/json' },
      });
      return { body, response, leave, taskId: response.headers.get('parley-task-id') };
    };

    it('goes on without the page (AGUI-40)', async () => {
      const body = aRun('20 10');
      const leave = new AbortController();
      const init = {
        method: 'POST',
        signal: leave.signal,
        headers: { 'x-api-key': KEYS.ann, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
      const response = await fetch(services.url('count'), init);
      leave.abort();
      await eventually(async () => {
        expect(await stateOf(response.headers.get('parley-task-id'))).toBe('TASK_STATE_COMPLETED');
      });
    });

    it('cancels the task where the page asked for that (AGUI-41)', async () => {
      const { leave, taskId } = await started({ forwardedProps: { parley: { onDisconnect: 'cancel' } } });
      leave.abort();
      await eventually(async () => {
        expect(await stateOf(taskId)).toBe('TASK_STATE_CANCELED');
      });
    });

    it('cancels a run, as often as it is asked, and says of an ended one how it ended (AGUI-43)', async () => {
      const { body, leave, taskId } = await started();
      const { threadId, runId } = body;
      const cancel = async (path: string, of: object, caller: 'ann' | 'bob' = 'ann') => {
        const response = await services.post(path, of, { caller, replica: 1 });
        return [response.status, await response.json()] as const;
      };
      const canceled = [200, { taskId, state: 'TASK_STATE_CANCELED' }];
      expect(await cancel('count/cancel', { threadId, runId })).toEqual(canceled);
      expect(await cancel('count/cancel', { threadId, runId })).toEqual(canceled);
      expect(await cancel('count/cancel', { threadId, runId: 'x', taskId })).toEqual(canceled);
      const foreign = await cancel('count/cancel', { threadId, runId, taskId }, 'bob');
      expect(foreign).toEqual(await cancel('count/cancel', { threadId, runId: randomUUID() }));
      expect(foreign[0]).toBe(404);
      leave.abort();
    });

    it.each(VERSIONS)('stops by the agent for pages, made of the client %s', async (version) => {
      const Agent = parleyAgent(CLIENTS[version] as never) as unknown as (typeof CLIENTS)['1.0.0'];
      const page = new Agent({
        url: services.url('count'),
        threadId: randomUUID(),
        headers: { 'x-api-key': KEYS.ann },
      });
      page.addMessage({ id: 'u', role: 'user', content: '400 20' });
      const { events } = await seen(page, (subscriber) =>
        page.runAgent(
          {},
          {
            ...subscriber,
            onTextMessageContentEvent: ({ textMessageBuffer }) => {
              if (textMessageBuffer === NUMBERS(5)) page.abortRun();
            },
          },
        ),
      );
      expect(events.at(-1)?.type).toBe('RUN_FINISHED');
      expect(await stateOf(taskIn(events[0] as { readonly metadata?: unknown }))).toBe('TASK_STATE_CANCELED');
    });

    it('keeps the older messages of an agent that sends new ones only (AGUI-49)', async () => {
      const Agent = parleyAgent(CLIENTS['1.0.0'] as never) as unknown as (typeof CLIENTS)['1.0.0'];
      let sent = 0;
      const losing = (url: string, init: RequestInit): Promise<Response> => {
        const headers = new Headers(init.headers);
        if (headers.has('last-event-id')) headers.set('last-event-id', '1-lost');
        sent += 1;
        return cutting(sent === 2 ? [1700] : [])(url, { ...init, headers });
      };
      const page = new Agent({
        url: services.url('count'),
        threadId: randomUUID(),
        headers: { 'x-api-key': KEYS.ann },
        fetch: losing,
      });
      await say(page, '2');
      await say(page, '20 5');
      expect(textsOf(page)).toEqual(['0;1;', 'counted', NUMBERS(20), 'counted']);
      expect(sent).toBe(3);
    });
  });

  describe('pages of other origins', () => {
    const preflight = (origin: string): Promise<Response> =>
      fetch(services.url('tell'), {
        ...{ method: 'OPTIONS' },
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });

    it('may call from an allowed origin, and read every answer (AGUI-54)', async () => {
      const allowed = await preflight(ORIGIN);
      expect(allowed.status).toBe(204);
      expect(Object.fromEntries(allowed.headers)).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-methods': expect.stringContaining('POST'),
        'access-control-allow-headers': expect.stringMatching(/Authorization.*Last-Event-ID/i),
        'access-control-max-age': '600',
        vary: 'Origin',
      });
      const headers = { origin: ORIGIN };
      const answers = await Promise.all([
        services.post('tell', aRun('x'), { headers }),
        services.post('tell', '{', { headers }),
        services.post('tell', aRun('x'), { headers: { ...headers, 'x-api-key': 'rubbish' } }),
        services.post('nothing', aRun('x'), { headers }),
        services.post('tell/nothing', {}, { headers }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 404, 404]);
      for (const answer of answers) {
        expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
        expect(answer.headers.get('access-control-expose-headers')).toContain('Parley-Task-Id');
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
        await answer.text();
      }
    });

    it('may not from any other (AGUI-55)', async () => {
      const refused = await preflight('https://evil.example');
      expect(refused.status).toBe(403);
      const run = await services.post('tell', aRun('x'), { headers: { origin: 'https://evil.example' } });
      expect(run.status).toBe(403);
      for (const { headers } of [refused, run]) expect(headers.get('access-control-allow-origin')).toBeNull();
    });

    it('needs no cookies, and ignores those that it gets (AGUI-57)', async () => {
      const response = await services.post('tell', aRun('x'), { headers: { cookie: 'session=1' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('set-cookie')).toBeNull();
      await response.text();
    });
  });
});
