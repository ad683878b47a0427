import { describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent } from '../events.js';
import { Skill, type SkillContext, type SkillHandler, type SkillOptions } from '../skill.js';
import { runFlow } from '../../testing/api.js';
import { joinedSince, type Reducers } from './reducer.js';
import { checkName } from './scope.js';

type Body = (context: SkillContext) => AsyncGenerator<SkillEvent, void, void>;

function skill(run: Body, options: Partial<SkillOptions> = {}): SkillHandler {
  @Skill({ id: 'one', name: 'one', description: 'one', tags: [], ...options })
  class One implements SkillHandler {
    run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
      return run(context);
    }
  }
  return new One();
}

/** Adds its text to the list `seen`, and counts. */
const noting = skill(async function* ({ shared, text }) {
  await shared().set('seen', [...(((await shared().get('seen')) as string[] | undefined) ?? []), text]);
  await shared().set('count', (((await shared().get('count')) as number | undefined) ?? 0) + 1);
  yield completed(text);
});

describe('context.shared', () => {
  it('hands values from step to step, each once, over a crash after every entry of the journal (O-50)', async () => {
    const shared = new Map<string, unknown>();
    const parent = skill(async function* ({ call, shared: values }) {
      await values().set('seen', ['start']);
      await call('noting', 'a');
      await call('noting', 'b');
      yield completed(JSON.stringify([await values().get('seen'), await values().get('count')]));
    });
    const run = await runFlow(parent, { children: { noting }, shared, crashAfter: 'each' });
    expect(run.text).toBe('[["start","a","b"],2]');
    expect(Object.fromEntries(shared)).toEqual({ seen: ['start', 'a', 'b'], count: 2 });
    expect(run.runs).toBeGreaterThan(5);
  });

  it("shows a child its parent's values at the call, and joins the additions of branches (O-50, O-34)", async () => {
    const parent = skill(
      async function* ({ call, all, shared }) {
        await shared().set('seen', ['start']);
        await shared().set('count', 10);
        await all([call('noting', 'a'), call('noting', 'b')]);
        yield completed(JSON.stringify([await shared().get('seen'), await shared().get('count')]));
      },
      { reducers: { seen: 'append', count: 'sum' } },
    );
    const run = await runFlow(parent, { children: { noting }, crashAfter: 'each' });
    expect(run.text).toBe('[["start","a","b"],12]');
  });

  it('fails where two branches disagree and no reducer decides, with both values (O-51)', async () => {
    const parent = skill(async function* ({ call, all }) {
      await all([call('noting', 'a', { key: 'one' }), call('noting', 'b', { key: 'two' })]);
      yield completed('');
    });
    const run = await runFlow(parent, { children: { noting }, crashAfter: 'each' });
    expect(run.state).toBe('failed');
    expect(run.text).toContain('The branches "one" and "two" have different values for "seen": ["a"] and ["b"]');
  });

  it("takes the parent's writes meanwhile as a branch of its own", async () => {
    const parent = skill(async function* ({ call, shared }) {
      const calling = call('noting', 'a').then(() => 'joined');
      await shared().set('count', 7);
      yield completed(await calling);
    });
    expect((await runFlow(parent, { children: { noting } })).text).toContain('"this task" and "noting#1"');
  });

  it('keeps nothing of a child that does not complete', async () => {
    const failing = skill(async function* ({ shared, ask }) {
      await shared().set('half', true);
      await ask('?');
      yield completed('');
    });
    const parent = skill(async function* ({ call, shared }) {
      await call('failing').catch(() => undefined);
      yield completed(String(await shared().get('half')));
    });
    expect((await runFlow(parent, { children: { failing } })).text).toBe('undefined');
  });

  it('has scopes; values of the turn end with it', async () => {
    const shared = new Map<string, unknown>();
    const contextValues = new Map<string, unknown>();
    const run = await runFlow(
      skill(async function* ({ shared: values, sleep }) {
        await values('temp').set('n', 1);
        await values('context').set('n', 2);
        await values('user').set('n', 3);
        await sleep(1_000);
        yield completed(
          JSON.stringify(
            await Promise.all(
              (['temp', 'context', 'user', 'app', undefined] as const).map((scope) => values(scope).get('n')),
            ),
          ),
        );
      }),
      { shared, contextValues, appValues: new Map([['n', 4]]) },
    );
    expect(run.text).toBe('[1,2,3,4,null]');
    expect([shared.size, contextValues.get('n')]).toEqual([0, 2]);
  });

  it("refuses to set the operators' values (O-50)", async () => {
    const setting = skill(async function* ({ shared }) {
      await shared('app').setIfAbsent('n', 1);
      yield completed('');
    });
    expect(await runFlow(setting, {})).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('can only read it'),
    });
  });

  it.each(['', 'other:x', 'user:', 'x'.repeat(257)])('refuses the name %j, but in a context', async (name) => {
    expect(() => checkName('tree', name)).toThrow(RangeError);
    const reading = skill(async function* ({ shared }) {
      const refused = await shared('user')
        .get(name)
        .catch(() => 'refused');
      yield completed(JSON.stringify([refused, (await shared('context').get(name)) ?? 'nothing']));
    });
    expect((await runFlow(reading, {})).text).toBe('["refused","nothing"]');
  });

  it('has the values that its caller lends and the history that its parent passes on, to be read only', async () => {
    const lent = skill(
      async function* ({ shared }) {
        const read = await Promise.all(['tone', 'card'].map((name) => shared('caller').get(name)));
        const history = await shared('parent').get('history');
        const refused = await shared('caller').set('tone', 'x').catch(String);
        yield completed(JSON.stringify([read, history, refused]));
      },
      { memory: { reads: ['tone'] } },
    );
    const run = await runFlow(lent, { memory: { tone: 'dry', card: '4111' } });
    const refusal = 'SkillFailure: The value "tone" is of the caller: skills can only read it.';
    expect(JSON.parse(run.text)).toEqual([['dry', null], [], refusal]);
  });

  it("keeps to the names in the skill's contract (O-12)", async () => {
    const bound = skill(
      async function* ({ shared }) {
        yield completed(String(await shared().get('payment.card')));
        await shared('user').set('payment.card', '4111');
      },
      { memory: { reads: ['summary.*'], writes: ['summary.*'] } },
    );
    const shared = new Map<string, unknown>([['payment.card', '4111']]);
    await expect(runFlow(bound, { shared })).rejects.toThrow('sets "payment.card"');
  });

  it.each([
    ['a value of more than 64 KiB', async ({ shared }: SkillContext) => shared().set('x', 'x'.repeat(65 * 1024))],
    [
      'more than 1,000 values',
      async ({ shared }: SkillContext) => {
        for (let at = 0; at <= 1_000; at += 1) await shared().set(`v${String(at)}`, at);
      },
    ],
    [
      'more than 256 KiB',
      async ({ shared }: SkillContext) => {
        for (let at = 0; at < 5; at += 1) await shared().set(`v${String(at)}`, 'x'.repeat(60 * 1024));
      },
    ],
  ])('refuses %s', async (_what, write) => {
    const run = await runFlow(
      skill(async function* (context) {
        await write(context);
        yield completed('');
      }),
    );
    expect(run.state).toBe('failed');
  });
});

describe(joinedSince, () => {
  const join = (before: unknown, values: readonly unknown[], reducers: Reducers) => {
    const branches = values.map((value, at) => ({ branch: `b${String(at)}`, written: new Map([['v', value]]) }));
    return joinedSince(() => before, branches, reducers).get('v');
  };

  it.each([
    ['sum', 1, [2, 3], 4],
    ['sum', undefined, [1, 1], 2],
    ['append', ['x'], [['x', 'a'], ['x', 'b'], ['new']], ['x', 'a', 'b', 'new']],
    [
      'union',
      ['x'],
      [
        ['x', 'a'],
        ['x', 'a', 'b'],
      ],
      ['x', 'a', 'b'],
    ],
    ['max', 1, [5, 3], 5],
    ['deepMerge', {}, [{ a: { b: 1 } }, { a: { c: 2 } }], { a: { b: 1, c: 2 } }],
    ['first', 0, ['a', 'b'], 'a'],
  ] as const)('%s from %j with %j', (reducer, before, values, joined) => {
    expect(join(before, values, { v: reducer })).toEqual(joined);
  });

  it('takes a pure function', () => {
    expect(join(0, [2, 3, 4], { v: (one, other) => Number(one) * Number(other) })).toBe(24);
  });

  it('needs no reducer for equal values, and for one writer', () => {
    expect(join(0, [{ a: 1 }, { a: 1 }], {})).toEqual({ a: 1 });
    expect(join([1], [[1, 2]], { v: 'append' })).toEqual([1, 2]);
  });
});
