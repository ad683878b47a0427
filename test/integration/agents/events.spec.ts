import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import { MAX_HOPS } from '../../../src/agents/events/event-fan-out.js';
import { completed, working } from '@parley/sdk/skill/events.js';
import { digestOfMessage } from '../../../src/tasks/record/new-task.js';
import { shardOf, taskIdOfDigest } from '../../../src/tasks/task.keys.js';
import { allKeys } from '../../kit/checks/invariants.js';
import { MortalRedis } from '../../kit/redis/mortal-redis.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { anAnswer, OWNER, TaskStores } from '../../kit/tasks/task-stores.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';
import { fanOutOf } from '../../kit/tasks/turn-sources.js';

class Invoice {
  @IsString()
  readonly id!: string;
}

const SHARD_TASK = /:task:([0-9a-f-]{36})$/;

describe('events that tasks publish (O-53)', () => {
  const stores = useTaskStores();

  const book: TreeSkill = {
    options: { on: 'invoice.*', input: Invoice },
    run: async function* ({ data }) {
      yield completed(`booked ${JSON.stringify(data[0])}`);
    },
  };
  const tasks = async (): Promise<readonly string[]> =>
    (await allKeys(stores.now)).flatMap((key) => SHARD_TASK.exec(key)?.[1] ?? []);
  const approve: TreeSkill['run'] = async function* ({ publish }) {
    publish('invoice.approved', { id: 'i1' }, { subject: 'i1' });
    yield completed('approved');
  };

  it('begin one task of each subscriber, for the caller of the task, with the data as its input', async () => {
    const bench = new TreeBench(stores.now, {
      approve,
      book,
      other: { options: { on: ['invoice.approved', 'x'] }, run: book.run },
      deaf: { options: { on: 'invoice' }, run: book.run },
    });
    const root = await bench.root('approve', { subject: 'ada' });
    const fanOut = fanOutOf(stores.now, bench.skills);
    expect(await fanOut.sweep(10)).toBe(0);
    await bench.run(root);
    expect(await fanOut.sweep(10)).toBe(2);
    expect(await fanOut.sweep(10)).toBe(0);
    await bench.settle();
    const begun = (await tasks()).filter((id) => id !== root);
    expect(begun).toHaveLength(2);
    const id = taskIdOfDigest(digestOfMessage(OWNER, 'tests', `${root}:1.1/book`));
    expect(begun).toContain(id);
    expect(await bench.said(id)).toBe('booked {"id":"i1"}');
    expect(await stores.now.tasks.read(OWNER, id)).toBeDefined();
    expect(await stores.now.tasks.read('default/client:other', id)).toBeUndefined();
    const [message] = (await stores.now.task(id)).history ?? [];
    expect(message?.metadata).toEqual({
      'urn:parley:extension:event:1': {
        ...{ id: `${root}:1.1`, source: `/tasks/${root}`, type: 'invoice.approved', subject: 'i1' },
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
  });

  it('are stored with the events of the task or with its park, once, however often the turn is run', async () => {
    const bench = new TreeBench(stores.now, {
      leaf: async function* () {
        yield completed('done');
      },
      root: async function* (context) {
        context.publish('step.one');
        await context.call('leaf');
        context.publish('step.two');
        context.publish('step.three');
        await context.waitFor();
        context.publish('step.four');
        yield working('nearly');
        context.publish('step.five');
      },
    });
    const root = await bench.root('root');
    const types = async () =>
      (await stores.now.published.ofShard(shardOf(root), 100)).map(({ published }) => published.event.type.slice(5));
    await bench.run(root);
    expect(await types()).toEqual(['one']);
    await bench.settle();
    expect(await types()).toEqual(['one', 'two', 'three']);
    await stores.now.tasks.resume(OWNER, anAnswer(root), 'hash');
    await bench.settle();
    expect(await types()).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect((await stores.now.word(root)).state).toBe('TASK_STATE_COMPLETED');
    await fanOutOf(stores.now).sweep(10);
    expect(await types()).toEqual([]);
  });

  it('are numbered in their turn also where a skill does not take publish out of its context', async () => {
    const bench = new TreeBench(stores.now, {
      root: async function* (context) {
        context.publish('step.one');
        context.publish('step.two');
        yield completed('done');
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    const stored = await stores.now.published.ofShard(shardOf(root), 10);
    expect(stored.map(({ published }) => published.event.id)).toEqual([`${root}:1.1`, `${root}:1.2`]);
    await fanOutOf(stores.now).sweep(10);
  });

  it('are not stored by a run that lost its task, or was canceled', async () => {
    const bench = new TreeBench(stores.now, { approve });
    const root = await bench.root('approve');
    const run = await bench.claim(root);
    await stores.now.expireLease(root);
    await stores.now.sweeps.evaluate(root);
    await bench.turn(run);
    expect(await stores.now.published.waiting()).toBe(0);
    await bench.settle();
    expect(await stores.now.published.waiting()).toBe(1);
  });

  it('begin exactly one task a subscriber, wherever the process that hands them on dies', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 1, hasDied = true; hasDied; at += 1) {
        await stores.now.redis.flushall();
        const bench = new TreeBench(stores.now, { approve, book, other: { options: { on: '*' }, run: book.run } });
        const root = await bench.root('approve');
        await bench.run(root);
        const mortal = new MortalRedis(stores.now.redis, { at, when });
        const dying = new TaskStores(mortal.redis, stores.now.options);
        const sweep = fanOutOf(dying, bench.skills).sweep(10);
        await Promise.race([sweep.catch(() => 0), mortal.died]);
        ({ hasDied } = mortal);
        // Another replica, which has forgotten the marks of messages.
        const marks = (await allKeys(stores.now)).filter((key) => key.includes(':sent:'));
        await stores.now.redis.del(...marks);
        await fanOutOf(stores.now, bench.skills).sweep(10);
        expect(await tasks()).toHaveLength(3);
        expect(await stores.now.published.waiting()).toBe(0);
        await bench.settle();
      }
    }
  });

  it('begin exactly one where two replicas hand them on at the same time', async () => {
    const bench = new TreeBench(stores.now, { approve, book });
    for (let n = 0; n < 10; n += 1) await bench.run(await bench.root('approve'));
    const replicas = [fanOutOf(stores.now, bench.skills), fanOutOf(stores.now.with({}), bench.skills)];
    const begun = await Promise.all(replicas.map((one) => one.sweep(100)));
    expect((begun[0] ?? 0) + (begun[1] ?? 0)).toBe(10);
    expect(await tasks()).toHaveLength(20);
  });

  it('begin no task that the caller may not begin, or whose input does not fit', async () => {
    const bench = new TreeBench(stores.now, {
      approve,
      book: { ...book, options: { on: '*', scopes: ['books.write'] } },
      picky: { ...book, options: { on: '*', input: class extends Invoice {} } },
      publisher: async function* ({ publish }) {
        publish('nothing.fits', { id: 5 });
        yield completed('');
      },
    });
    await bench.run(await bench.root('publisher'));
    await bench.run(await bench.root('approve', { scopes: ['other'] }));
    expect(await fanOutOf(stores.now, bench.skills).sweep(10)).toBe(1);
    expect(await stores.now.published.waiting()).toBe(0);
  });

  it('end after some hops where a subscriber publishes what it subscribes to', async () => {
    const bench = new TreeBench(stores.now, {
      endless: {
        options: { on: 'again' },
        run: async function* ({ publish }) {
          publish('again');
          yield completed('');
        },
      },
    });
    await bench.run(await bench.root('endless'));
    const fanOut = fanOutOf(stores.now, bench.skills);
    for (let n = 0; n < 20; n += 1) {
      await fanOut.sweep(10);
      await bench.settle();
    }
    expect(await tasks()).toHaveLength(1 + MAX_HOPS);
  });

  it('are refused beyond the bounds of a turn, and within steps', async () => {
    const said: string[] = [];
    const bench = new TreeBench(stores.now, {
      root: async function* ({ publish, step }) {
        const tried = (work: () => void): void => {
          try {
            work();
          } catch (error) {
            said.push(String(error));
          }
        };
        tried(() => publish('no type'));
        tried(() => publish('big', 'x'.repeat(70_000)));
        await step('s', async () => {
          tried(() => publish('x'));
        });
        for (let n = 0; n < 101; n += 1) publish('endless');
        yield completed('never');
      },
    });
    const root = await bench.root('root');
    const { result } = bench.begin(await bench.claim(root));
    expect(await result).toMatchObject({ kind: 'threw', error: { message: 'A turn publishes at most 100 events.' } });
    expect(said).toEqual([
      expect.stringContaining('"no type" is no type of an event'),
      expect.stringContaining('at most 64 KiB'),
      expect.stringContaining('publish() within the step "s"'),
    ]);
    await stores.now.tasks.cancel(OWNER, root);
    await stores.now.expireCancelGrace(root);
    await stores.now.redis.flushall();
  });
});
