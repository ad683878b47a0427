import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { converse } from '@parley/sdk/model/converse.js';
import { Model } from '@parley/sdk/model/model.js';
import { chunk, completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { OpenAiStub } from '../../kit/stubs/openai-stub.js';

type Events = AsyncGenerator<SkillEvent, void, void>;

@Skill({ id: 'friend', name: 'friend', description: 'For tests', tags: [] })
class FriendSkill implements SkillHandler {
  constructor(private readonly model: Model) {}

  async *run(context: SkillContext): Events {
    yield* converse(context, this.model, { instruction: 'Be short.', tools: [] });
  }
}

@Skill({ id: 'slow', name: 'slow', description: 'For tests', tags: [] })
class SlowSkill implements SkillHandler {
  async *run({ signal }: SkillContext): Events {
    await pause(5_000, undefined, { signal });
    yield completed('late');
  }
}

/** Begins its text again in its second attempt. */
@Skill({ id: 'again', name: 'again', description: 'For tests', tags: [], maxAttempts: 2 })
class AgainSkill implements SkillHandler {
  async *run({ attempt }: SkillContext): Events {
    yield chunk('text', `try ${String(attempt)}`);
    if (attempt === 1) throw new Error('once');
    yield chunk('text', ', done', { last: true });
  }
}

const KEYS = { ann: 'ann.0123456789abcdef', eve: 'eve.0123456789abcdef' };

describe('the outcome of a chat completion', () => {
  let stub: OpenAiStub;
  let service: RunningApp;

  beforeAll(async () => {
    stub = await OpenAiStub.start();
    const scopes = 'a2a:message.send a2a:tasks.read';
    const entries = Object.entries(KEYS).map(([tenant, key]) => apiKeyEntry(key, { tenant, scopes }));
    const variables = {
      ...{ OPENAI: 'true', API_KEYS: entries.join('\n'), KEY_PREFIX: `test-${randomUUID()}` },
      ...{ MODEL_URL: stub.url, MODEL_NAME: 'stub-1', MODEL_KEY: 'secret' },
      BLOCKING_MS: '4000',
    };
    service = await runApp(variables, { skills: [FriendSkill, SlowSkill, AgainSkill] });
  });
  afterAll(async () => {
    await service.close();
    await stub.close();
  });

  const client = (key = KEYS.ann): OpenAI => new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: key });
  const chunksOf = async (model: string, more: object = {}): Promise<readonly OpenAI.ChatCompletionChunk[]> => {
    const stream = await client().chat.completions.create({
      ...{ model, messages: [{ role: 'user', content: 'hi' }], stream: true, ...more },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
  const textOf = (chunks: readonly OpenAI.ChatCompletionChunk[]): string =>
    chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

  it('has the tokens of a model that was asked, and none where none was (OAI-04)', async () => {
    const usage = {
      prompt_tokens: expect.any(Number),
      completion_tokens: expect.any(Number),
      total_tokens: expect.any(Number),
    };
    stub.script({ text: 'Hello you.' }, { text: 'Hello you.' }, { text: 'Hello you.' });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
    const whole = await client().chat.completions.create({ model: 'friend', messages });
    expect(whole.usage).toEqual(usage);
    const asked = await chunksOf('friend', { stream_options: { include_usage: true } });
    expect(asked.at(-1)).toMatchObject({ choices: [], usage });
    expect(asked.slice(0, -1).every((chunk) => !('usage' in chunk))).toBe(true);
    expect(textOf(asked)).toBe('Hello you.');
    expect((await chunksOf('friend')).some((chunk) => 'usage' in chunk)).toBe(false);
    expect((await chunksOf('again', { stream_options: { include_usage: true } })).at(-1)).not.toHaveProperty('usage');
  });

  it('says after the time of a blocking call that the task goes on, and is not asked again (OAI-25)', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
    const response = await fetch(`${service.url}/openai/v1/chat/completions`, {
      ...{ method: 'POST', body: JSON.stringify({ model: 'slow', messages }) },
      headers: { authorization: `Bearer ${KEYS.ann}`, 'content-type': 'application/json' },
    });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([504, 'false']);
    const { error } = (await response.json()) as { error: JsonObject };
    expect(error.code).toBe('task_running');
    const id = /\(task ([\w-]+)\)/.exec(String(error.message))?.[1] ?? '';
    const headers = { 'x-api-key': KEYS.ann, 'a2a-version': '1.0' };
    await eventually(async () => {
      const task = (await (await fetch(`${service.url}/tasks/${id}`, { headers })).json()) as JsonObject;
      expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    });
  });

  it('says in a stream where an artifact began again, and is right as a whole (OAI-36)', async () => {
    expect(textOf(await chunksOf('again'))).toBe('try 1\n\n(begun again)\n\ntry 2, done');
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
    const whole = await client().chat.completions.create({ model: 'again', messages });
    expect(whole.choices[0]?.message.content).toBe('try 2, done');
  });

  it('is the same for a foreign task as for none (OAI-34, DOOR-4)', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
    stub.script({ text: 'Hello.' });
    const { id } = await client().chat.completions.create({ model: 'friend', messages });
    const answerTo = async (taskId: string): Promise<readonly unknown[]> => {
      const tool_call_id = `call_${taskId}~m:x`;
      const response = await fetch(`${service.url}/openai/v1/chat/completions`, {
        ...{
          method: 'POST',
          body: JSON.stringify({ model: 'friend', messages: [{ role: 'tool', tool_call_id, content: 'x' }] }),
        },
        headers: { authorization: `Bearer ${KEYS.eve}`, 'content-type': 'application/json' },
      });
      return [response.status, await response.text()];
    };
    const taskId = id.replace('chatcmpl-', '');
    const foreign = await answerTo(taskId);
    expect(foreign[0]).toBe(404);
    expect(foreign).toEqual(await answerTo(`${taskId.slice(0, -4)}${taskId.endsWith('0000') ? '1111' : '0000'}`));
  });
});
