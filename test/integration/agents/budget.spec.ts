import { describe, expect, it } from '@jest/globals';
import { Model } from '@parley/sdk/model/model.js';
import type { ModelPort } from '@parley/sdk/model/model.port.js';
import { scripted } from '@parley/sdk/model/scripted/scripted.model.js';
import { MODEL_USAGE_EXTENSION } from '@parley/protocol/extension/model-usage.js';
import { completed } from '@parley/sdk/skill/events.js';
import { RedisClock } from '../../../src/platform/redis/redis-clock.js';
import { childIdOf } from '../../../src/tasks/task.keys.js';
import { TenantUseReader } from '../../../src/tasks/lists/tenant-use.js';
import { TreeInspector } from '../../../src/tasks/lists/tree-inspector.js';
import type { TaskOptions } from '../../../src/tasks/task.options.js';
import { MortalRedis } from '../../kit/redis/mortal-redis.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { TaskStores } from '../../kit/tasks/task-stores.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';

type Context = Parameters<TreeSkill['run']>[0];

const PRICES = { in: 1, out: 2 };
const limits = (more: object = {}) => ({ maxTokens: 100_000, maxCalls: 50, prices: PRICES, ...more });
/** A model that uses ten tokens of the prompt and ten of the answer. */
const even = (): ModelPort => ({
  name: 'even',
  complete: () => Promise.resolve({ text: 'ok', toolCalls: [], usage: { input: 10, output: 10 }, finish: 'stop' }),
});

describe('the budget of a tree (F14)', () => {
  const stores = useTaskStores();

  /** A tree under other limits. */
  const under = (options: Partial<TaskOptions>): TaskStores => stores.now.with(options);
  const asking = (model: Model, maxTokens = 30): TreeSkill['run'] =>
    async function* (context: Context) {
      const { text } = await model.ask(context, { messages: [{ role: 'user', text: 'x'.repeat(40) }], maxTokens });
      yield completed(text);
    };
  const used = async (id: string) => (await new TreeInspector(stores.now.redis, stores.now.options).of(id))?.models;

  it('is never exceeded by children that ask at the same time, and refuses with a clear text', async () => {
    const model = new Model(even(), limits());
    const failed: string[] = [];
    const bench = new TreeBench(under({ mostTreeTokens: 500 }), {
      leaf: asking(model),
      root: async function* ({ call, map }) {
        const result = await map(Array.from({ length: 100 }), () => call('leaf'), { limit: 100, onFailure: 'collect' });
        failed.push(...result.failed.map(({ message }) => message));
        yield completed(String(result.done.length));
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    const heads = await stores.now.queue.heads(100, 'all');
    const results = await Promise.all(heads.map(({ taskId }) => bench.run(taskId)));
    const over = results.filter(({ kind }) => kind === 'threw');
    const use = await used(root);
    expect(use?.tokens).toBe(20 * (heads.length - over.length));
    expect(use?.tokens).toBeLessThanOrEqual(500);
    expect(use).toMatchObject({ micros: 30 * (heads.length - over.length), most: { tokens: 500, calls: 500 } });
    for (const one of over) {
      expect(one).toMatchObject({
        error: { message: 'The task and those that work with it have used their budget of 500 model tokens.' },
      });
    }
    await stores.now.redis.flushall();
  });

  it('grants each of 100 reservations at once what is left, and not a token more', async () => {
    const run = await under({}).running();
    const { budget } = under({ mostTreeTokens: 1_000, mostTreeCalls: 60 }).trees;
    const wanted = (id: number) => ({ id: String(id), most: 35, least: 5, micros: 0 });
    const granted = await Promise.all(Array.from({ length: 100 }, (_unused, id) => budget.reserve(run, wanted(id))));
    const tokens = granted.flatMap((one) => (one.kind === 'reserved' ? [one.tokens] : []));
    expect(tokens.reduce((sum, count) => sum + count, 0)).toBe(1_000);
    expect(granted.filter(({ kind }) => kind === 'spent')).toContainEqual({
      kind: 'spent',
      limit: 'tokens',
      most: 1_000,
    });
    const [first] = granted;
    if (first?.kind !== 'reserved') throw new Error('The first was refused');
    await first.settle({ input: 2, output: 3, micros: 0 });
    await first.settle({ input: 2, output: 3, micros: 0 });
    expect((await used(run.taskId))?.tokens).toBe(970);
    expect(await budget.reserve(run, wanted(200))).toMatchObject({ kind: 'reserved', tokens: 30 });
    expect(await budget.reserve(run, wanted(200))).toMatchObject({ kind: 'reserved', tokens: 30 });
    expect(await budget.reserve(run, wanted(201))).toMatchObject({ kind: 'spent' });
  });

  it.each([
    ['calls', { mostTreeCalls: 1 }, 'have made 1 model calls, which is their limit'],
    ['money', { mostTreeMicros: 100 }, 'have used their budget of 0.00 for models'],
    ['the tokens of a tenant', { mostTenantTokens: 45 }, 'The tenant has used its model tokens of this day.'],
    ['the money of a tenant', { mostTenantMicros: 90 }, 'The tenant has used its budget for models of this day.'],
    ['nothing at all', { mostTreeMicros: 0 }, 'have used their budget of 0.00 for models'],
  ] as const)('limits %s', async (what, options, text) => {
    const model = new Model(even(), limits());
    const bench = new TreeBench(under(options), {
      root: async function* (context) {
        for (let n = 0; n < 5; n += 1) {
          await model.ask(context, { messages: [{ role: 'user', text: 'x'.repeat(40) }], maxTokens: 20 });
        }
        yield completed('never');
      },
    });
    const root = await bench.root('root');
    const result = await bench.run(root);
    expect(result.kind === 'threw' ? String(result.error) : result.kind).toContain(text);
    const use = await used(root);
    expect(use?.calls ?? 0).toBeLessThanOrEqual(what === 'nothing at all' ? 0 : 4);
    await stores.now.redis.flushall();
  });

  it('is shown with what was used in the metadata of the task: of a child its own, of a root its whole tree', async () => {
    const model = new Model(even(), limits());
    const bench = new TreeBench(under({}), {
      leaf: asking(model),
      root: async function* (context: Context) {
        await model.ask(context, { messages: [{ role: 'user', text: 'x'.repeat(40) }], maxTokens: 30 });
        await context.all([context.call('leaf'), context.call('leaf')]);
        yield completed('all');
      },
    });
    const root = await bench.root('root', { metadata: { skillId: 'root' } });
    await bench.settle();
    const usage = async (id: string) => (await stores.now.task(id)).metadata?.[MODEL_USAGE_EXTENSION];
    const one = { calls: 1, inputTokens: 10, outputTokens: 10, cost: 0.00003 };
    expect(await usage(childIdOf(root, 1, 'leaf#1'))).toEqual(one);
    expect(await usage(root)).toEqual({ calls: 3, inputTokens: 30, outputTokens: 30, cost: 0.00009 });
  });

  it('of a tenant counts all of its trees, and no other tenant', async () => {
    const { options, trees } = under({ mostTenantTokens: 100 });
    const { budget } = trees;
    const reader = new TenantUseReader(stores.now.redis, options, new RedisClock());
    const runs = await Promise.all(Array.from({ length: 12 }, () => stores.now.running({ tenant: 'acme' })));
    const wanted = { id: 'one', most: 10, least: 10, micros: 0 };
    const kinds: string[] = [];
    const parts: (number | undefined)[] = [];
    for (const run of runs) {
      const granted = await budget.reserve(run, wanted);
      kinds.push(granted.kind);
      if (granted.kind === 'reserved') parts.push(granted.ofTenant);
    }
    expect(parts.map((part) => part?.toFixed(1))).toEqual([
      '0.0',
      '0.1',
      '0.2',
      '0.3',
      '0.4',
      '0.5',
      '0.6',
      '0.7',
      '0.8',
      '0.9',
    ]);
    expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(10);
    const [today, before] = (await reader.of('acme')).days;
    expect(today?.tokens).toBe(100);
    expect(before?.tokens).toBe(0);
    expect(await budget.reserve(await stores.now.running({ tenant: 'other' }), wanted)).toMatchObject({
      kind: 'reserved',
    });
  });

  it('stops an answer within one piece when what was reserved is used (O-23)', async () => {
    let pieces = 0;
    const talker: ModelPort = {
      name: 'talker',
      async complete(_request, { onText }) {
        for (; pieces < 100; pieces += 1) onText?.('four');
        throw new Error('It was not stopped');
      },
    };
    const bench = new TreeBench(under({ mostTreeTokens: 25 }), { root: asking(new Model(talker, limits()), 1_000) });
    const root = await bench.root('root');
    expect(await bench.run(root)).toMatchObject({
      error: {
        message: 'The task and those that work with it have used what was left of their budget of model tokens.',
      },
    });
    // Ten tokens of the prompt, a token each piece.
    expect(pieces).toBe(15);
    expect((await used(root))?.tokens).toBe(26);
    await stores.now.redis.flushall();
  });

  it('survives a worker that dies at any of its scripts: a finished call is asked and counted once (O-23)', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 1, hasDied = true; hasDied; at += 1) {
        await stores.now.redis.flushall();
        const port = scripted('one', 'two', 'three', 'four');
        const skills = { root: asking(new Model(port, limits())) };
        const mortal = new MortalRedis(stores.now.redis, { at, when });
        const bench = new TreeBench(new TaskStores(mortal.redis, stores.now.options), skills);
        const root = await new TreeBench(stores.now, skills).root('root');
        await Promise.race([bench.run(root).catch(() => undefined), mortal.died]);
        ({ hasDied } = mortal);
        bench.stores = stores.now;
        const { nonce } = await stores.now.word(root);
        if (nonce !== '') {
          await stores.now.expireLease(root);
          await stores.now.sweeps.evaluate(root);
        }
        await bench.settle();
        expect((await stores.now.word(root)).state).toBe('TASK_STATE_COMPLETED');
        const use = await used(root);
        // What was lost stays used: never less than the model was asked for.
        expect(use?.calls).toBeGreaterThanOrEqual(port.requests.length);
        expect(use?.calls).toBeLessThanOrEqual(2);
      }
    }
  });
});
