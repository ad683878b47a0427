import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CURSOR_LEASE_MS, CursorStore } from '../../../src/webhooks/delivery/cursor.store.js';
import { PushDeliveries } from '../../../src/webhooks/delivery/push.deliveries.js';
import { ALL_SHARDS } from '../../../src/tasks/task.keys.js';
import { eventually } from '../../kit/run/eventually.js';
import { COMPLETED, PushBench } from './push-bench.js';
import { Receiver } from './receiver.js';

describe('webhooks when processes die', () => {
  let receiver: Receiver;
  /** Commits, and dies before anything is delivered. */
  let dying: PushBench;

  beforeEach(async () => {
    receiver = await new Receiver().listen();
    dying = await PushBench.start({ receivers: [receiver], isDispatching: false });
  });
  afterEach(() => receiver.close());

  async function succeeding(work: (bench: PushBench) => Promise<void>): Promise<void> {
    const bench = await PushBench.start({ receivers: [receiver], keyPrefix: dying.keyPrefix });
    try {
      await work(bench);
    } finally {
      await bench.close();
    }
  }

  it('delivers what was committed before the process died', async () => {
    const run = await dying.task({ url: receiver.url });
    await dying.commit(run, COMPLETED);
    await dying.close();
    await succeeding(async () => {
      await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3]));
    });
  });

  it('delivers what was taken from the outbox and never begun', async () => {
    await dying.task({ url: receiver.url, events: ['TASK_STATE_SUBMITTED'] });
    const taken = await dying.get(CursorStore).take(ALL_SHARDS, 1);
    expect(taken.flatMap(({ due }) => due)).toHaveLength(1);
    await dying.close();
    await succeeding(async (bench) => {
      expect(receiver.seqs).toEqual([]);
      bench.ahead(5_000);
      await eventually(() => expect(receiver.seqs).toEqual([1]));
    });
  });

  it('is taken from the outbox by one process, however many see that it is due', async () => {
    await dying.task({ url: receiver.url });
    const other = await PushBench.start({ receivers: [receiver], keyPrefix: dying.keyPrefix, isDispatching: false });
    const taken = await Promise.all(
      [dying, other, dying, other].map((bench) => bench.get(CursorStore).take(ALL_SHARDS, 1)),
    );
    expect(taken.flat().flatMap(({ due }) => due)).toHaveLength(1);
    await Promise.all([dying.close(), other.close()]);
  });

  it('delivers again, under the same id, what was sent and not taken down', async () => {
    const run = await dying.task({ url: receiver.url, id: 'c1', events: ['TASK_STATE_SUBMITTED'] });
    const cursors = dying.get(CursorStore);
    await cursors.take(ALL_SHARDS, 1);
    const cursor = await cursors.claim({ taskId: run.taskId, configId: 'c1' });
    const [created, working] = cursor?.batch.events ?? [];
    if (cursor === undefined || created === undefined || working === undefined) throw new Error('There are two events');
    await dying.close();
    await succeeding(async (bench) => {
      expect(receiver.seqs).toEqual([]);
      bench.ahead(CURSOR_LEASE_MS);
      await eventually(() => expect(receiver.seqs).toEqual([1]));
      expect(receiver.received[0]?.headers['webhook-id']).toBe(`evt_${run.taskId}_1_${created.nonce}`);
      // Should the process that was thought dead come back, it has lost its right.
      expect(await bench.get(CursorStore).advance(cursor, working)).toBeUndefined();
    });
  });

  it('lets a cursor go when the process leaves in the middle of an attempt', async () => {
    await dying.close();
    receiver.behave = () => undefined;
    const leaving = await PushBench.start({ receivers: [receiver], keyPrefix: dying.keyPrefix });
    const run = await leaving.task({ url: receiver.url, events: ['TASK_STATE_SUBMITTED'] });
    await eventually(() => expect(receiver.seqs).toEqual([1]));
    const deliveries = leaving.get(PushDeliveries);
    await deliveries.leave(0);
    // A busy machine needs longer than a process that leaves has for it.
    expect(await deliveries.idle(20_000)).toBe(true);
    await leaving.close();
    receiver.behave = (_request, response) => response.end();
    await succeeding(async () => {
      await eventually(() => expect(receiver.seqs).toEqual([1, 1]));
      const [first, again] = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(first).toMatch(new RegExp(`^evt_${run.taskId}_1_[0-9a-f]{12}$`));
      expect(again).toBe(first);
      expect(receiver.received.map(({ headers }) => headers['x-a2a-attempt'])).toEqual(['1', '1']);
    });
  });
});
