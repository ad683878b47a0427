import { describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent } from '../skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '../skill/skill.js';
import { aContext, runIn, runSkill } from '../testing/run-skill.js';
import { Model } from './model.js';
import type { ModelLimits } from './model-budget.js';
import { ModelFault } from './model-fault.js';
import type { ModelPort } from './model.port.js';
import { scripted } from './scripted/scripted.model.js';

/** Streams an answer, waits, and repeats it. */
@Skill({ id: 'weather', name: 'Weather', description: 'For tests', tags: [] })
class WeatherSkill implements SkillHandler {
  constructor(private readonly model: Model) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const { text } = yield* this.model.stream(context, { messages: [{ role: 'user', text: context.text }] });
    if (context.text.includes('wait')) await context.sleep(60_000);
    yield completed(text.toUpperCase());
  }
}

const texts = (events: readonly SkillEvent[]): readonly unknown[] =>
  events.map(({ parts: [part] }) => (part !== undefined && 'text' in part ? part.text : part));

describe(Model.name, () => {
  it('streams the text of a reply as chunks of an artifact', async () => {
    const events = await runSkill(new WeatherSkill(new Model(scripted('It rains today'))), 'weather?');
    expect(texts(events)).toEqual(['It ', 'rains ', 'today', '', 'IT RAINS TODAY']);
    expect(events[0]).toMatchObject({ kind: 'artifact', artifactId: 'answer', append: false });
    expect(events[3]).toMatchObject({ append: true, lastChunk: true });
  });

  it('is not asked again by a run that repeats a wait, and its chunks are not yielded again', async () => {
    const model = scripted('It rains today');
    const events = await runSkill(new WeatherSkill(new Model(model)), 'weather? wait');
    expect(texts(events)).toEqual(['It ', 'rains ', 'today', '', 'IT RAINS TODAY']);
    expect(model.requests).toHaveLength(1);
  });

  it('gives the stored reply after a crash, as one piece', async () => {
    const steps = new Map<string, unknown>();
    const run = (model: Model): Promise<readonly SkillEvent[]> =>
      runSkill(new WeatherSkill(model), { text: 'weather?', steps });
    await run(new Model(scripted('It rains today')));
    expect(texts(await run(new Model(scripted())))).toEqual(['It rains today', 'IT RAINS TODAY']);
  });

  it('yields the pieces of a journal of an older release, each an event (LLM-03)', async () => {
    const stored = { text: 'It rains', toolCalls: [], usage: { input: 1, output: 1 }, finish: 'stop', cuts: [3, 5] };
    const model = scripted('It rains');
    const steps = new Map<string, unknown>();
    await runSkill(new WeatherSkill(new Model(model)), { text: 'weather?', steps });
    const [name = ''] = steps.keys();
    const old = { text: 'weather?', steps: new Map<string, unknown>([[name, stored]]) };
    expect(texts(await runSkill(new WeatherSkill(new Model(scripted())), old))).toEqual(['It ', 'rains', 'IT RAINS']);
  });

  it('asks again where the request has changed since', async () => {
    const steps = new Map<string, unknown>();
    await runSkill(new WeatherSkill(new Model(scripted('Rain'))), { text: 'weather?', steps });
    const other = await runSkill(new WeatherSkill(new Model(scripted('Sun'))), { text: 'tomorrow?', steps });
    expect(texts(other)).toEqual(['Sun', '', 'SUN']);
  });

  it.each([
    ['waits', { text: 'wait' }],
    ['loses its run', { text: 'wait', crashAfter: 'each' as const }],
  ])('keeps the reply of a round in a turn that %s while its prompt changes (F1, LLM-03)', async (_what, input) => {
    let prompt = 'one';
    const model = scripted('Rain', 'Sun');
    @Skill({ id: 'changing', name: 'Changing', description: 'For tests', tags: [] })
    class ChangingSkill implements SkillHandler {
      async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        const asked = new Model(model);
        const first = await asked.ask(context, { messages: [{ role: 'user', text: prompt }] });
        prompt += ' more';
        await context.sleep(60_000);
        const second = await asked.ask(context, { messages: [{ role: 'user', text: `${prompt} after` }] });
        yield completed(`${first.text}, ${second.text}`);
      }
    }
    expect(texts(await runSkill(new ChangingSkill(), input))).toEqual(['Rain, Sun']);
    expect(model.requests).toHaveLength(2);
  });

  it('sends no limit that the caller did not ask for, unless a budget is nearly spent (F3)', async () => {
    const model = scripted('a', 'b', 'c');
    const ask = (limits: ModelLimits, more: { readonly maxTokens?: number } = {}) =>
      new Model(model, limits).ask(aContext({ text: 'x' }), { messages: [{ role: 'user', text: 'x' }], ...more });
    await ask({ maxTokens: 200_000, maxCalls: 1 });
    await ask({ maxTokens: 200_000, maxCalls: 1 }, { maxTokens: 9 });
    await ask({ maxTokens: 1_000, maxCalls: 1 });
    expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([undefined, 9, 1_000]);
  });

  it('stops within one piece where the budget is spent, and says so', async () => {
    let given = 0;
    const talker: ModelPort = {
      name: 'talker',
      async complete(_request, { onText }) {
        for (; given < 100; given += 1) onText?.('four');
        throw new Error('It was not stopped');
      },
    };
    const context = aContext({ text: 'weather?' });
    const run = async (): Promise<void> => {
      for await (const _event of runIn(context, new WeatherSkill(new Model(talker, { maxTokens: 12, maxCalls: 5 }))));
    };
    await expect(run()).rejects.toThrow('The task has used its budget of 12 model tokens.');
    // Two tokens of the prompt, a token each piece.
    expect(given).toBe(10);
  });

  it('counts the calls and tokens of a turn together', async () => {
    const model = new Model(scripted({ text: 'a', usage: { input: 50, output: 50 } }, 'b', 'c'), {
      ...{ maxTokens: 100, maxCalls: 5 },
    });
    const context = aContext({ text: 'weather?' });
    const ask = (): Promise<unknown> => model.ask(context, { messages: [{ role: 'user', text: 'Again?' }] });
    await ask();
    await expect(ask()).rejects.toThrow('budget of 100 model tokens');
    const few = new Model(scripted('a', 'b'), { maxTokens: 1_000, maxCalls: 1 });
    await few.ask(context, { messages: [] });
    await expect(few.ask(context, { messages: [] })).rejects.toThrow('1 model calls, which is its limit');
  });

  it('asks another model of the provider within the budgets of the turn', async () => {
    const asked: string[] = [];
    const portOf = (name: string): ModelPort => ({
      name,
      named: portOf,
      complete: (request, options) => {
        asked.push(name);
        return scripted(name).complete(request, options);
      },
    });
    const model = new Model(portOf('large'), { maxTokens: 1_000, maxCalls: 2 });
    const context = aContext({ text: 'weather?' });
    const messages = [{ role: 'user', text: 'weather?' }] as const;
    expect(await model.ask(context, { messages, place: 'plan' })).toMatchObject({ text: 'large' });
    expect(await model.named('small').ask(context, { messages, place: 'write' })).toMatchObject({ text: 'small' });
    await expect(model.named('small').ask(context, { messages, place: 'check' })).rejects.toThrow('2 model calls');
    expect(asked).toEqual(['large', 'small']);
    const only = new Model(scripted('one'));
    expect(only.named('small')).toBe(only);
  });

  it.each([
    ['whole', { text: 'weather?' }],
    ['after each crash', { text: 'weather?', crashAfter: 'each' as const }],
  ])('waits for an account without capacity, parked, and asks again (%s; LLM-18)', async (_what, input) => {
    const asked: string[] = [];
    const faults = [new ModelFault('rate', 'busy', { retryAfterMs: 30_000 }), new ModelFault('rate', 'busy')];
    const port: ModelPort = {
      name: 'busy',
      complete: async (request, options) => {
        asked.push(options.idempotencyKey);
        const fault = faults.shift();
        if (fault !== undefined) throw fault;
        return scripted('It rains').complete(request, options);
      },
    };
    const waited: number[] = [];
    @Skill({ id: 'waiting', name: 'Waiting', description: 'For tests', tags: [] })
    class WaitingSkill implements SkillHandler {
      async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        const began = await context.now();
        const messages = [{ role: 'user' as const, text: context.text }];
        const { text } = await new Model(port).ask(context, { messages, place: 'round 1' });
        waited.push((await context.now()) - began);
        yield completed(text);
      }
    }
    expect(texts(await runSkill(new WaitingSkill(), input))).toEqual(['It rains']);
    expect(waited.at(-1)).toBe(40_000);
    // One key for the call, whatever the attempt: its place in the line.
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(1);
  });

  it('gives up where its provider has no capacity for too long', async () => {
    const port: ModelPort = {
      name: 'busy',
      complete: () => Promise.reject(new ModelFault('rate', 'busy', { retryAfterMs: 60_000 })),
    };
    const failing = runSkill(new WeatherSkill(new Model(port, { maxTokens: 9, maxCalls: 9, maxWaitMs: 150_000 })), 'x');
    await expect(failing).rejects.toThrow('The language model has no capacity now.');
  });

  it('asks a model that is down three times', async () => {
    let asked = 0;
    const port: ModelPort = {
      name: 'down',
      complete: () => {
        asked += 1;
        return Promise.reject(new ModelFault('unavailable', 'down'));
      },
    };
    await expect(runSkill(new WeatherSkill(new Model(port)), 'x')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(asked).toBe(3);
  });

  it('counts cached tokens in money only (LLM-21, F12)', async () => {
    const usage = { input: 1_000, cached: 900, output: 10 };
    const prices = { in: 10, cached: 1, out: 30 };
    const limits = { maxTokens: 200, maxCalls: 5, prices };
    const model = new Model(scripted({ text: 'a', usage }, 'b'), limits);
    const context = aContext({ text: 'x' });
    const reply = await model.ask(context, { messages: [] });
    expect(reply.micros).toBe(100 * 10 + 900 * 1 + 10 * 30);
    // 110 tokens of 200 are used.
    await model.ask(context, { messages: [] });
  });

  it.each([
    ['fails the task on what another attempt does not change', 'refused', 'SkillFailure'],
    ['leaves to the retries of a turn what may pass', 'unavailable', 'ModelFault'],
  ] as const)('%s (%s)', async (_what, kind, name) => {
    const port: ModelPort = { name: 'broken', complete: () => Promise.reject(new ModelFault(kind, 'scripted')) };
    await expect(runSkill(new WeatherSkill(new Model(port)), 'weather?')).rejects.toMatchObject({ name });
  });
});
