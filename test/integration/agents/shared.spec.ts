import { describe, expect, it } from '@jest/globals';
import { artifactRef } from '@parley/sdk/skill/artifacts/artifact-ref.js';
import { artifact, completed } from '@parley/sdk/skill/events.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { TaskWorkReader } from '../../../src/tasks/store/task-work.js';
import { childIdOf } from '../../../src/tasks/task.keys.js';
import { allKeys, violations } from '../../kit/checks/invariants.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';

/** Adds its text to the list `seen` of the tree. */
async function* noting({ shared, text }: SkillContext) {
  await shared().set('seen', [...(((await shared().get('seen')) as string[] | undefined) ?? []), text]);
  yield completed(text);
}

/** Reads a reference that it is given. */
async function* reading({ artifacts, text }: SkillContext) {
  yield completed((await artifacts.get(text))?.text ?? 'nothing');
}

describe('values and artifacts of a tree', () => {
  const stores = useTaskStores();

  it('reach children as they were at the call, and their parent with the result (O-50, SEED-57)', async () => {
    const parent: TreeSkill = {
      options: { reducers: { seen: 'append' } },
      run: async function* ({ call, all, shared }) {
        await shared().set('seen', ['start']);
        await all([call('middle', 'a'), call('noting', 'b')]);
        await call('noting', 'c');
        yield completed(JSON.stringify(await shared().get('seen')));
      },
    };
    const bench = new TreeBench(stores.now, {
      noting,
      parent,
      middle: async function* ({ call, text }) {
        await call('noting', `${text}1`);
        await call('noting', `${text}2`);
        yield completed('');
      },
    });
    const root = await bench.root('parent');
    await bench.settle();
    expect(await bench.said(root)).toBe('["start","a1","a2","b","c"]');
    // What operators see of the same, by the events at which it was stored (O-79).
    const seen = await new TaskWorkReader(stores.now.redis, stores.now.options).shared(childIdOf(root, 1, 'noting#1'));
    expect(seen).toEqual([
      ['$0.0', '{"seq":0,"values":{"seen":["start"]}}'],
      [expect.stringMatching(/^\$1\.\d$/), expect.stringContaining('["start","b"]')],
    ]);
    expect(await violations(stores.now)).toEqual([]);
    expect(await stores.now.sweeps.purge(root, 'finished')).toBe(true);
    expect((await allKeys(stores.now)).filter((key) => key.endsWith(':shared'))).toEqual([]);
  });

  it('are written by a run that is lost once it is repeated, and by it only (O-50)', async () => {
    let isLost = true;
    const bench = new TreeBench(stores.now, {
      counting: async function* ({ shared, signal }) {
        if (isLost) await shared().set('of a lost run', 1);
        await shared().set('n', (((await shared().get('n')) as number | undefined) ?? 0) + 1);
        if (isLost)
          await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('lost'))));
        yield completed('');
      },
      parent: async function* ({ call, shared }) {
        await call('counting');
        yield completed(JSON.stringify([await shared().get('n'), await shared().get('of a lost run')]));
      },
    });
    const root = await bench.root('parent');
    await bench.run(root);
    const child = childIdOf(root, 1, 'counting#1');
    const { turn, result } = bench.begin(await bench.claim(child));
    const written = () => stores.now.redis.hlen(stores.now.keys.shared(child));
    await eventually(async () => expect(await written()).toBe(2));
    await stores.now.expireLease(child);
    expect((await stores.now.sweeps.evaluate(child)).kind).toBe('again');
    turn.stop('lost');
    await result;
    isLost = false;
    await bench.run(child);
    await bench.settle();
    expect(await bench.said(root)).toBe('[1,null]');
  });

  it('are set by operators for all tasks of their tenant, which only read them (O-50)', async () => {
    await stores.now.operatorValues.set('default', 'limit', { eur: 10_000 });
    await stores.now.operatorValues.set('other', 'limit', { eur: 1 });
    const bench = new TreeBench(stores.now, {
      leaf: async function* ({ shared }) {
        yield completed(JSON.stringify([await shared('app').get('limit'), await shared('app').get('none')]));
      },
      parent: async function* ({ call, shared }) {
        const before = await shared('app').get('limit');
        const { text } = await call('leaf');
        const refused = await shared('app')
          .set('limit', 0)
          .then(String, (error: unknown) => String(error));
        // As it was read: a value that changes meanwhile does not change what the turn has seen.
        yield completed([JSON.stringify(before), text, refused].join(' '));
      },
    });
    const root = await bench.root('parent');
    await bench.run(root);
    await stores.now.operatorValues.set('default', 'limit', { eur: 5 });
    await bench.settle();
    expect(await bench.said(root)).toBe(
      '{"eur":10000} [{"eur":5},null] SkillFailure: Operators set the value "app:limit": skills can only read it.',
    );
    expect(await stores.now.operatorValues.remove('default', 'limit')).toBe(true);
    expect(await stores.now.operatorValues.list('default')).toEqual([]);
    await expect(stores.now.operatorValues.set('default', 'x', 'x'.repeat(65_536))).rejects.toThrow('at most 65536');
  });

  it('are stored once and read by reference, as far as a task was given it (O-52)', async () => {
    const bench = new TreeBench(stores.now, {
      reading,
      making: async function* () {
        yield artifact('report', 'x'.repeat(200_000));
        yield artifact('secret', 'not for all');
      },
      guessing: async function* ({ artifacts, text }) {
        yield completed((await artifacts.get(text.split(' ').join('/')))?.text ?? 'nothing');
      },
      parent: async function* ({ call, artifacts, shared }) {
        const made = await call('making');
        const reference = artifactRef(made, 'report');
        const put = await artifacts.put('note', [{ data: { n: 1 } }]);
        await shared().set('note', put);
        const length = (await call('reading', reference)).text.length;
        const [task = ''] = artifactRef(made, 'secret').split('/');
        const guessed = await call('guessing', `${task} secret`);
        yield completed(
          `${String(length)} ${guessed.text} ${JSON.stringify((await artifacts.get(put))?.data)} ${put.slice(-6)}`,
        );
      },
    });
    const root = await bench.root('parent');
    await bench.settle();
    expect(await bench.said(root)).toBe('200000 nothing [{"n":1}] note@1');
  });

  it('are readable in a follow-up task of the same caller (O-56, A2A-SEND-18)', async () => {
    const bench = new TreeBench(stores.now, {
      making: async function* ({ shared }) {
        await shared().set('tone', 'dry');
        yield artifact('summary', 'a long text');
      },
      following: async function* ({ artifacts: { references } }) {
        const found = await references();
        yield completed(
          JSON.stringify(found.map(({ artifacts, shared, status }) => [artifacts[0]?.parts, shared, status.state])),
        );
      },
    });
    const first = await bench.root('making');
    const foreign = await bench.root('making', { owner: 'default/client:other' });
    await bench.settle();
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'make it shorter' }] } as const;
    const next = await bench.root('following', { message: { ...message, referenceTaskIds: [first, foreign, 'none'] } });
    await bench.settle();
    expect(JSON.parse(await bench.said(next))).toEqual([
      [[{ text: 'a long text' }], { tone: 'dry' }, 'TASK_STATE_COMPLETED'],
    ]);
  });

  it('gives a child as much history as its parent decides, none by default (O-54)', async () => {
    const bench = new TreeBench(stores.now, {
      telling: async function* ({ shared }) {
        yield completed(String(((await shared('parent').get('history')) as readonly unknown[]).length));
      },
      parent: async function* ({ call }) {
        const said = [];
        for (const history of [undefined, 'none', 'last', 'all'] as const) {
          said.push((await call('telling', '', history === undefined ? {} : { history })).text);
        }
        yield completed(said.join(' '));
      },
    });
    const root = await bench.root('parent');
    await bench.settle();
    expect(await bench.said(root)).toBe('0 0 1 1');
  });
});
