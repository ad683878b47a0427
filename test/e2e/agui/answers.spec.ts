import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { aRun, framesOf, KEYS, PageServices, type SeenFrame } from '../../kit/agui/page-service.js';
import { type Page, say, seen, textsOf, VERSIONS } from '../../kit/agui/pages.js';
import { eventually } from '../../kit/run/eventually.js';
import { ACTED } from './skills.js';

interface Interrupt {
  readonly id: string;
  readonly [member: string]: unknown;
}

describe('answers of a page to the questions of a task (AG-UI)', () => {
  let services: PageServices;
  let rpc: RpcClient;

  beforeAll(async () => {
    services = await PageServices.start(2);
    rpc = new RpcClient(services.base(1), { 'x-api-key': KEYS.ann });
  });
  afterAll(() => services.close());
  beforeEach(() => {
    ACTED.length = 0;
  });

  const interruptsIn = (frames: readonly Readonly<Record<string, unknown>>[]): readonly Interrupt[] => {
    const outcome = frames.at(-1)?.outcome as { interrupts?: readonly Interrupt[] } | undefined;
    return outcome?.interrupts ?? [];
  };
  const answer = (page: Page, interrupts: readonly Interrupt[], payloads: readonly unknown[]) => {
    const resume = interrupts.map(({ id }, at) =>
      payloads[at] === undefined
        ? { interruptId: id, status: 'cancelled' as const }
        : { interruptId: id, status: 'resolved' as const, payload: payloads[at] },
    );
    return seen(page, (subscriber) => page.runAgent({ resume }, subscriber));
  };
  /** A run of a skill that asks, and what it asks. */
  const asked = async (skill: string, text = 'go', version: (typeof VERSIONS)[number] = '1.0.0') => {
    const page = services.page(skill, { version });
    const run = await say(page, text);
    return { page, run, interrupts: interruptsIn(run.events) };
  };
  const rawAnswer = async (
    { threadId }: { readonly threadId: string },
    resume: readonly object[],
    how: Parameters<PageServices['post']>[2] & { skill?: string } = {},
  ): Promise<readonly SeenFrame[]> => {
    const body = { ...aRun('go'), threadId, resume };
    return framesOf(await services.post(how.skill ?? 'confirm', body, how));
  };
  const taskOf = (interrupt: Interrupt | undefined): string => interrupt?.id.split('~')[0] ?? '';
  const stateOf = async (id: string): Promise<string> => (await rpc.task('GetTask', { id })).status.state;

  it.each(VERSIONS)(
    'asks by an interrupt, and goes on with the answer at another replica: client %s (AGUI-30, AGUI-31, AGUI-48)',
    async (version) => {
      const { page, interrupts } = await asked('confirm', 'go', version);
      expect(interrupts).toMatchObject([
        {
          reason: 'input_required',
          message: 'How much?',
          responseSchema: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
          expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ]);
      expect(textsOf(page)).toEqual(['before; ', 'How much?']);
      page.url = services.url('confirm', 1);
      const run = await answer(page, interrupts, [{ amount: 5 }]);
      expect(run.error).toBeUndefined();
      expect(run.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      expect(textsOf(page)).toEqual(['before; after {"amount":5}', 'How much?']);
      expect(ACTED).toEqual([{ amount: 5 }]);
      const { history = [] } = await rpc.task('GetTask', { id: taskOf(interrupts[0]) });
      expect(history.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
    },
  );

  it('acts once on an answer that two runs give at once, and streams it to both (AGUI-32)', async () => {
    const { page, interrupts } = await asked('confirm');
    const resume = [{ interruptId: interrupts[0]?.id, status: 'resolved', payload: { amount: 1 } }];
    const streams = await Promise.all([0, 1].map((replica) => rawAnswer(page, resume, { replica })));
    for (const frames of streams) {
      expect(frames[0]?.type).toBe('RUN_STARTED');
      expect(frames.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      expect(JSON.stringify(frames)).toContain('after');
    }
    expect(ACTED).toEqual([{ amount: 1 }]);
    // Again, when all is over: the page gets what became of it.
    const again = await rawAnswer(page, resume);
    expect(again.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    expect(ACTED).toHaveLength(1);
  });

  it('asks again, with the reason, where an answer does not fit (AGUI-33)', async () => {
    const { page, interrupts } = await asked('confirm');
    const run = await answer(page, interrupts, [{ amount: 'many' }]);
    const [again] = interruptsIn(run.events);
    expect(again).toMatchObject({ id: interrupts[0]?.id, message: expect.stringContaining('does not fit') });
    expect(ACTED).toEqual([]);
    await answer(page, interruptsIn(run.events), [{ amount: 2 }]);
    expect(ACTED).toEqual([{ amount: 2 }]);
  });

  it('says again what is asked when the page says something else, and leaves the task (AGUI-34)', async () => {
    const { page, interrupts } = await asked('confirm');
    const messages = [
      ...page.messages.filter(({ role }) => role !== 'activity'),
      { id: 'u', role: 'user', content: 'what?' },
    ];
    const body = { ...aRun(''), threadId: page.threadId, messages };
    const frames = await framesOf(await services.post('confirm', body));
    expect(interruptsIn(frames)).toEqual(interrupts);
    const { result } = await rpc.call('ListTasks', { contextId: page.threadId });
    expect(result).toMatchObject({ totalSize: 1 });
    const beside = { ...body, runId: randomUUID(), forwardedProps: { parley: { newTask: true } } };
    await framesOf(await services.post('tell', beside));
    expect((await rpc.call('ListTasks', { contextId: page.threadId })).result).toMatchObject({ totalSize: 2 });
  });

  it('takes words as the answer to a question without a form, as often as it asks', async () => {
    const page = services.page('interview');
    await say(page, 'go');
    expect(textsOf(page)).toEqual(['Your name?']);
    const [first] = page.pendingInterrupts;
    page.pendingInterrupts = [];
    await say(page, 'Ann');
    expect(textsOf(page)).toEqual(['Your name?', 'And the city, Ann?']);
    const run = await answer(page, interruptsIn((await say(services.page('interview'), 'go')).events), ['x']);
    expect(run.error).toBeDefined();
    // The first question is gone: its answer is none to the second one.
    const late = await rawAnswer(page, [{ interruptId: first?.id, status: 'resolved', payload: 'Bob' }], {
      skill: 'interview',
    });
    expect(late.at(-1)).toMatchObject({
      type: 'RUN_ERROR',
      code: 'interrupt_gone',
      metadata: { parley: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    });
    const end = await answer(page, page.pendingInterrupts, ['Bonn']);
    expect(end.error).toBeUndefined();
    expect(textsOf(page).at(-1)).toBe('from Bonn');
  });

  it('takes words once: sent again they are the same answer, and words for an earlier question answer none', async () => {
    const page = services.page('interview');
    await say(page, 'go');
    const said = (text: string): Record<string, unknown> & { threadId: string } => ({
      ...aRun(text),
      threadId: page.threadId,
      messages: [...page.messages, { id: randomUUID(), role: 'user', content: text }],
    });
    const tasks = async (): Promise<unknown> =>
      ((await rpc.call('ListTasks', { contextId: page.threadId })).result as { totalSize: number }).totalSize;
    const [words, late] = [said('Ann'), said('Bob')];
    const first = await framesOf(await services.post('interview', words));
    expect(first.at(-1)).toMatchObject({ outcome: { interrupts: [{ message: 'And the city, Ann?' }] } });
    // Another page still shows the first question.
    const stale = await framesOf(await services.post('interview', late));
    expect(stale.at(-1)).toMatchObject({ outcome: { interrupts: [{ message: 'And the city, Ann?' }] } });
    const again = await framesOf(await services.post('interview', words));
    expect(again.at(-1)).toMatchObject({ outcome: { interrupts: [{ message: 'And the city, Ann?' }] } });
    const [city] = interruptsIn(again);
    await rawAnswer(page, [{ interruptId: city?.id, status: 'resolved', payload: 'Bonn' }], { skill: 'interview' });
    await framesOf(await services.post('interview', words));
    expect(await tasks()).toBe(1);
  });

  it('goes on with the answered question of two, and asks the canceled one again (AGUI-35)', async () => {
    const { page, interrupts } = await asked('both');
    const two =
      interrupts.length === 2
        ? interrupts
        : await eventually(async () => {
            const frames = await framesOf(
              await services.post('both/connect', { ...aRun(''), threadId: page.threadId, messages: [] }),
            );
            expect(interruptsIn(frames)).toHaveLength(2);
            return interruptsIn(frames);
          });
    expect(two.map(({ metadata }) => metadata)).toMatchObject([
      { parley: { skillId: 'word' } },
      { parley: { skillId: 'word' } },
    ]);
    const [first, second] = two;
    const frames = await rawAnswer(
      page,
      [
        { interruptId: first?.id, status: 'resolved', payload: { value: 'one' } },
        { interruptId: second?.id, status: 'cancelled' },
      ],
      { skill: 'both' },
    );
    expect(interruptsIn(frames).map(({ id }) => id)).toEqual([second?.id]);
    const end = await rawAnswer(page, [{ interruptId: second?.id, status: 'resolved', payload: { value: 'two' } }], {
      skill: 'both',
    });
    expect(JSON.stringify(end)).toContain('one and two');
  });

  it('answers both of two questions by one run', async () => {
    const { page, interrupts } = await asked('both');
    const both = await eventually(async () => {
      const frames = await framesOf(
        await services.post('both/connect', { ...aRun(''), threadId: page.threadId, messages: [] }),
      );
      expect(interruptsIn(frames)).toHaveLength(2);
      return interruptsIn(frames);
    });
    expect(interrupts.length).toBeGreaterThan(0);
    const end = await rawAnswer(
      page,
      both.map(({ id }, at) => ({ interruptId: id, status: 'resolved', payload: { value: `w${String(at)}` } })),
      { skill: 'both' },
    );
    expect(JSON.stringify(end)).toMatch(/w0 and w1|w1 and w0/);
  });

  it('cancels the task where all is canceled (AGUI-36)', async () => {
    const { page, interrupts } = await asked('confirm');
    const run = await answer(page, interrupts, [undefined]);
    expect(run.error).toBeUndefined();
    expect(run.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(await stateOf(taskOf(interrupts[0]))).toBe('TASK_STATE_CANCELED');
  });

  it('says that a question has expired, and what became of its task (AGUI-37)', async () => {
    const { page, interrupts } = await asked('confirm', 'brief');
    await eventually(async () => {
      expect(await stateOf(taskOf(interrupts[0]))).toBe('TASK_STATE_FAILED');
    });
    const frames = await rawAnswer(page, [
      { interruptId: interrupts[0]?.id, status: 'resolved', payload: { amount: 1 } },
    ]);
    expect(frames).toMatchObject([
      { type: 'RUN_STARTED' },
      { type: 'RUN_ERROR', code: 'interrupt_gone', metadata: { parley: { state: 'TASK_STATE_FAILED' } } },
    ]);
    expect(ACTED).toEqual([]);
  });

  it('refuses an approval by the wrong person, and takes that of the right one (AGUI-38, DOOR-5)', async () => {
    const { page, interrupts } = await asked('approve');
    expect(interrupts).toMatchObject([{ reason: 'confirmation' }]);
    const resume = [{ interruptId: interrupts[0]?.id, status: 'resolved', payload: { value: true } }];
    const refused = await rawAnswer(page, resume, { skill: 'approve' });
    expect(refused.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'permission_denied' });
    expect(await stateOf(taskOf(interrupts[0]))).toBe('TASK_STATE_INPUT_REQUIRED');
    const given = await rawAnswer(page, resume, { skill: 'approve', caller: 'boss' });
    expect(JSON.stringify(given)).toContain('"paid"');
  });

  it('has the same answer for the interrupt of another owner and one that never was (AGUI-52, DOOR-4, DOOR-6)', async () => {
    const { page, interrupts } = await asked('confirm');
    const ids = [interrupts[0]?.id ?? '', `${randomUUID()}~${randomUUID()}:1.1`];
    const answers = await Promise.all(
      ids.map(async (interruptId) => {
        const frames = await rawAnswer(page, [{ interruptId, status: 'resolved', payload: { amount: 1 } }], {
          caller: 'bob',
        });
        return JSON.stringify(frames).replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '<id>');
      }),
    );
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]).toContain('interrupt_gone');
    expect(ACTED).toEqual([]);
    const forged = await rawAnswer(page, [{ interruptId: 'no such thing', status: 'resolved', payload: 1 }]);
    expect(forged.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'interrupt_gone' });
  });
});
