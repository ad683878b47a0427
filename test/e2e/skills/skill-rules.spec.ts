import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

const about = (id: string) => ({ id, name: id, description: 'For tests', tags: [] });

@Skill({ ...about('slow'), timeoutMs: 300 })
class SlowSkill implements SkillHandler {
  static runs = 0;

  // eslint-disable-next-line require-yield -- it never gets that far
  async *run({ signal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    SlowSkill.runs += 1;
    await sleep(60_000, undefined, { signal });
  }
}

@Skill({ ...about('narrow'), concurrency: 2 })
class NarrowSkill implements SkillHandler {
  static now = 0;
  static most = 0;

  async *run(): AsyncGenerator<SkillEvent, void, void> {
    NarrowSkill.now += 1;
    NarrowSkill.most = Math.max(NarrowSkill.most, NarrowSkill.now);
    await sleep(30);
    NarrowSkill.now -= 1;
    yield completed('Done');
  }
}

/** Holds its only slot until the test lets it go. */
@Skill({ ...about('single'), concurrency: 1 })
class SingleSkill implements SkillHandler {
  static release: () => void = () => undefined;
  static begun = 0;
  static readonly attempts = new Set<number>();

  async *run({ attempt, signal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    SingleSkill.begun += 1;
    SingleSkill.attempts.add(attempt);
    await new Promise<void>((resolve) => {
      SingleSkill.release = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    yield completed('Done');
  }
}

/** Needs nothing. */
@Skill(about('quick'))
class QuickSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    yield completed('Done');
  }
}

@Skill({ ...about('broken'), maxAttempts: 2 })
class BrokenSkill implements SkillHandler {
  static runs = 0;

  // eslint-disable-next-line require-yield -- it never gets that far
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    BrokenSkill.runs += 1;
    await Promise.reject(new TypeError('the secret of the fault'));
  }
}

@Skill({ ...about('at_once'), direct: true, timeoutMs: 300 })
class DirectSkill implements SkillHandler {
  async *run({ text, signal, shared }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    if (text === 'never') await sleep(60_000, undefined, { signal });
    const before = await shared('context').get('said');
    await shared('context').set('said', text);
    yield completed(typeof before === 'string' ? `${text} after ${before}` : text);
  }
}

/** Remembers more of its context than a context may have. */
async function* remember({ shared }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  await shared('context').set('much', 'x'.repeat(1_048_577));
  yield completed('Done');
}

@Skill(about('greedy'))
class GreedySkill implements SkillHandler {
  run = remember;
}

@Skill({ ...about('greedy_at_once'), direct: true })
class GreedyDirectSkill implements SkillHandler {
  run = remember;
}

@Skill({ ...about('guarded'), scopes: ['skill:guarded'] })
class GuardedSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    yield completed('Let in');
  }
}

const GREEDY = [GreedySkill, GreedyDirectSkill];
const SKILLS = [SlowSkill, NarrowSkill, SingleSkill, QuickSkill, BrokenSkill, DirectSkill, GuardedSkill, ...GREEDY];
const DEFAULTS = { DEFAULT_SKILL: 'narrow', WORKER_CONCURRENCY: '10' };

const secretOf = (client: string): string => `${client}.secret`;
const keyOf = (client: string, scopes: string): string => apiKeyEntry(secretOf(client), { tenant: 'acme', scopes });

let running: RunningApp;
let client: RpcClient;

describe('skill rules', () => {
  beforeAll(async () => {
    running = await runApp(DEFAULTS, { skills: SKILLS });
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
  });

  describe('a skill that remembers more of its context than a context may have (I10)', () => {
    it('has its task failed, or its call refused, with that reason', async () => {
      const { status } = await client.task('SendMessage', aMessage('go', { skillId: 'greedy' }));
      const parts = [{ text: expect.stringContaining('The context has as much state') }];
      expect(status).toMatchObject({ state: 'TASK_STATE_FAILED', message: { parts } });
      const { error } = await client.call('SendMessage', aMessage('go', { skillId: 'greedy_at_once' }));
      expect(error).toMatchObject({ code: -32004, message: expect.stringContaining('The context has as much state') });
    });
  });

  describe('the rules that a skill declares, in a service', () => {
    it('fails a run that takes longer than timeoutMs, and does not repeat it', async () => {
      const { status } = await client.task('SendMessage', aMessage('go', { skillId: 'slow' }));
      expect(status.state).toBe('TASK_STATE_FAILED');
      expect(status.message?.parts).toMatchObject([{ text: 'The skill took too long.' }]);
      expect(SlowSkill.runs).toBe(1);
    });

    it('runs no more turns of a skill at once than its concurrency', async () => {
      const sent = Array.from({ length: 9 }, () => client.task('SendMessage', aMessage('go', { skillId: 'narrow' })));
      const states = (await Promise.all(sent)).map(({ status }) => status.state);
      expect(new Set(states)).toEqual(new Set(['TASK_STATE_COMPLETED']));
      expect(NarrowSkill.most).toBe(2);
    });

    describe('when more runs of a limited skill are wanted than the worker has slots', () => {
      let waiting: string[];

      beforeAll(async () => {
        SingleSkill.begun = 0;
        const params = { ...aMessage('go', { skillId: 'single' }), configuration: { returnImmediately: true } };
        const sent = Array.from({ length: 15 }, () =>
          client.task('SendMessage', { ...params, ...aMessage('go', { skillId: 'single' }) }),
        );
        const ids = (await Promise.all(sent)).map(({ id }) => id);
        await eventually(() => expect(SingleSkill.begun).toBe(1));
        const states = await Promise.all(ids.map(async (id) => (await client.task('GetTask', { id })).status.state));
        waiting = ids.filter((_id, at) => states[at] === 'TASK_STATE_SUBMITTED');
      });

      it('claims none that cannot begin (I11)', () => {
        expect(waiting).toHaveLength(14);
      });

      it("leaves other skills' work alone (I11)", async () => {
        const { status } = await client.task('SendMessage', aMessage('go', { skillId: 'quick' }));
        expect(status.state).toBe('TASK_STATE_COMPLETED');
        expect(SingleSkill.begun).toBe(1);
      });

      it('cancels a run that waits for its skill at once', async () => {
        const [id = ''] = waiting.splice(0, 1);
        expect((await client.task('CancelTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
      });

      it('runs each of them in the end, one at a time', async () => {
        for (const [at, id] of waiting.entries()) {
          SingleSkill.release();
          await eventually(() => expect(SingleSkill.begun).toBe(at + 2), { timeoutMs: 10_000 });
          expect((await client.task('GetTask', { id })).status.state).not.toBe('TASK_STATE_FAILED');
        }
        SingleSkill.release();
        await eventually(async () => {
          const tasks = await Promise.all(waiting.map((id) => client.task('GetTask', { id })));
          expect(new Set(tasks.map(({ status }) => status.state))).toEqual(new Set(['TASK_STATE_COMPLETED']));
        });
      });
    });

    it('leaves runs that wait for their skill to the next worker, their attempts unspent (I11)', async () => {
      const leaver = await runApp({ ...DEFAULTS, DRAIN_MS: '20000' }, { skills: SKILLS });
      const { keyPrefix } = leaver;
      const before = SingleSkill.begun;
      const rpc = new RpcClient(leaver.url);
      const ids: string[] = [];
      for (let at = 0; at < 3; at += 1) {
        const message = aMessage('go', { skillId: 'single' });
        ids.push((await rpc.task('SendMessage', { ...message, configuration: { returnImmediately: true } })).id);
      }
      await eventually(() => expect(SingleSkill.begun).toBe(before + 1));
      const releasing = setInterval(() => SingleSkill.release(), 10);
      const began = Date.now();
      await leaver.close();
      expect(Date.now() - began).toBeLessThan(20_000);

      const heir = await runApp({ ...DEFAULTS, KEY_PREFIX: keyPrefix }, { skills: SKILLS });
      try {
        await eventually(async () => {
          const tasks = await Promise.all(ids.map((id) => new RpcClient(heir.url).task('GetTask', { id })));
          expect(tasks.map(({ status }) => status.state)).toEqual(ids.map(() => 'TASK_STATE_COMPLETED'));
        });
        expect(SingleSkill.attempts).toEqual(new Set([1]));
      } finally {
        clearInterval(releasing);
        await heir.close();
      }
    });

    it('fails after maxAttempts with a reference, and keeps the fault to itself', async () => {
      const { id } = await client.task('SendMessage', {
        ...aMessage('go', { skillId: 'broken' }),
        configuration: { returnImmediately: true },
      });
      const status = await eventually(
        async () => {
          const task = await client.task('GetTask', { id });
          expect(task.status.state).toBe('TASK_STATE_FAILED');
          return task.status;
        },
        { timeoutMs: 30_000 },
      );
      expect(JSON.stringify(status)).not.toContain('secret');
      expect(BrokenSkill.runs).toBe(2);
    });

    it('answers with a Message and makes no task when the skill is direct (A2A-SEND-04)', async () => {
      const contextId = 'direct-context';
      const first = await client.call('SendMessage', aMessage('one', { skillId: 'at_once', contextId }));
      const second = await client.call('SendMessage', aMessage('two', { skillId: 'at_once', contextId }));
      expect(first.result).toMatchObject({ message: { role: 'ROLE_AGENT', contextId, parts: [{ text: 'one' }] } });
      expect(second.result).toMatchObject({ message: { parts: [{ text: 'two after one' }] } });
      const events = [];
      for await (const event of client.stream('SendStreamingMessage', aMessage('three', { skillId: 'at_once' }))) {
        events.push(event.data.result);
      }
      expect(events).toMatchObject([{ message: { parts: [{ text: 'three' }] } }]);
      expect((await client.call('ListTasks', { contextId })).result).toMatchObject({ tasks: [], totalSize: 0 });
    });

    it('gives up a direct skill when its time is up', async () => {
      const { error } = await client.call('SendMessage', aMessage('never', { skillId: 'at_once' }));
      expect(error?.message).toBe('The skill took too long.');
    });

    it('lets only tokens with its scopes call a skill, and makes no task for others (SEED-41, A2A-AUTHZ-03)', async () => {
      const scopes = 'a2a:message.send a2a:tasks.read';
      const keys = [keyOf('plain', scopes), keyOf('trusted', `${scopes} skill:guarded`)];
      const secured = await runApp({ ...DEFAULTS, API_KEYS: keys.join(';') }, { skills: SKILLS });
      try {
        const rpc = new RpcClient(secured.url);
        const send = async (caller: string) => {
          const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: aMessage('go', { skillId: 'guarded' }) };
          const response = await rpc.post(body, { 'x-api-key': secretOf(caller) });
          return { status: response.status, text: await response.text() };
        };
        const listed = async (caller: string) =>
          (
            await rpc.post(
              { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} },
              { 'x-api-key': secretOf(caller) },
            )
          ).json();
        expect(await send('plain')).toMatchObject({ status: 403, text: expect.stringContaining('skill:guarded') });
        expect(await listed('plain')).toMatchObject({ result: { totalSize: 0 } });
        expect(await send('trusted')).toMatchObject({ status: 200, text: expect.stringContaining('Let in') });
      } finally {
        await secured.close();
      }
    });
  });
});
