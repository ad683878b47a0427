import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SweepStore } from '../../../src/tasks/store/sweep.store.js';
import type { ClaimedRun } from '../../../src/tasks/commit/run.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { PushBench, WORKING } from './push-bench.js';
import { Receiver } from './receiver.js';

describe('webhooks after a failover that lost writes', () => {
  let bench: PushBench;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await new Receiver().listen();
    bench = await PushBench.start({ receivers: [receiver] });
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  /** Another writer ends the task: its event has the number of the one that was lost. */
  async function failByAnother({ taskId, fence }: ClaimedRun): Promise<void> {
    expect(await bench.get(SweepStore).settle(taskId, fence, 'TASK_STATE_FAILED')).toBe('settled');
  }

  it.each(['before', 'after'])(
    'delivers the event that gets the number of a lost one %s that was acknowledged, under an id of its own (H3)',
    async (when) => {
      const run = await bench.task();
      await bench.register(run.taskId, { url: receiver.url });
      let failover: (() => Promise<void>) | undefined;
      let isOver = false;
      const arrive = async (seq: number): Promise<void> => {
        if (seq === 3 && failover === undefined) {
          failover = await bench.remember();
          await bench.commit(run, WORKING);
        } else if (seq === 4 && !isOver) {
          await failover?.();
          if (when === 'before') await failByAnother(run);
          isOver = true;
        }
      };
      receiver.behave = ({ seq }, response) => void arrive(seq).then(() => response.end());

      await bench.commit(run, WORKING);
      await eventually(() => expect(isOver).toBe(true));
      await eventually(async () => expect(await bench.waiting()).toEqual([]));
      if (when === 'after') await failByAnother(run);
      await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_FAILED'));
      const fourths = receiver.received.filter(({ seq }) => seq === 4).map(({ headers }) => headers['webhook-id']);
      expect(new Set(fourths).size).toBe(2);
    },
  );
});
