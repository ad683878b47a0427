import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent } from '../../src/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '../../src/skill/skill.js';
import { apiKeyEntry } from '../kit/auth/api-key-entry.js';
import { eventually } from '../kit/eventually.js';
import { aMessage, RpcClient } from '../kit/rpc-client.js';
import { runApp, type RunningApp } from '../kit/running-app.js';

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
  async *run({ text, signal, contextState }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    if (text === 'never') await sleep(60_000, undefined, { signal });
    const before = await contextState.get('said');
    await contextState.set('said', text);
    yield completed(typeof before === 'string' ? `${text} after ${before}` : text);
  }
}

@Skill({ ...about('guarded'), scopes: ['skill:guarded'] })
class GuardedSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    yield completed('Let in');
  }
}

const SKILLS = [SlowSkill, NarrowSkill, BrokenSkill, DirectSkill, GuardedSkill];
const DEFAULTS = { DEFAULT_SKILL: 'narrow', WORKER_CONCURRENCY: '10' };

const secretOf = (client: string): string => `${client}.secret`;
const keyOf = (client: string, scopes: string): string => apiKeyEntry(secretOf(client), { tenant: 'acme', scopes });

let running: RunningApp;
let client: RpcClient;

beforeAll(async () => {
  running = await runApp(DEFAULTS, { skills: SKILLS });
  client = new RpcClient(running.url);
});

afterAll(async () => {
  await running.close();
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
          await rpc.post({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }, { 'x-api-key': secretOf(caller) })
        ).json();
      expect(await send('plain')).toMatchObject({ status: 403, text: expect.stringContaining('skill:guarded') });
      expect(await listed('plain')).toMatchObject({ result: { totalSize: 0 } });
      expect(await send('trusted')).toMatchObject({ status: 200, text: expect.stringContaining('Let in') });
    } finally {
      await secured.close();
    }
  });
});
