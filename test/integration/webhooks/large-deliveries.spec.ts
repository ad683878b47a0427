import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { partOfRoom } from '../../../src/platform/traffic/process-memory.js';
import type { Share } from '../../../src/platform/traffic/budget.js';
import type { PushRecord } from '../../../src/webhooks/config/push-record.js';
import { LargeDeliveries } from '../../../src/webhooks/endpoint/large-deliveries.js';
import { eventually } from '../../kit/run/eventually.js';
import { chunkOf, COMPLETED, PushBench } from './push-bench.js';
import { answer, Receiver } from './receiver.js';

const TEXT = 'x'.repeat(1_048_576);
/** What one client may have under way. */
const SHARE = Math.floor(partOfRoom(1 / 4, 16, 256) / 2);

describe('large deliveries', () => {
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

  function take(client: string, bytes = SHARE): Promise<Share | 'small' | 'no-room'> {
    const record = { id: 'h', taskId: 't', url: receiver.url, dialect: '1.0' } satisfies Partial<PushRecord>;
    return bench.get(LargeDeliveries).makeRoom({ ...record, tenant: 'acme', client }, bytes);
  }

  async function taken(client: string): Promise<Share> {
    const share = await take(client);
    if (typeof share === 'string') throw new Error(share);
    return share;
  }

  it.each(['1.0', '0.3'] as const)(
    'wait while the share of their client is taken, and small ones do not (A1, I15): %s',
    async (dialect) => {
      const run = await bench.task({ url: receiver.url }, dialect);
      await eventually(() => expect(receiver.seqs).toEqual([1, 2]));
      const share = await taken('crm');
      await bench.commit(run, chunkOf(TEXT, 'first'), COMPLETED);
      for (let tries = 0; tries < 5; tries += 1)
        await eventually(async () => expect(await bench.aheadToNext()).toBeGreaterThan(0));
      await bench.task({ url: receiver.url }, dialect);
      await eventually(() => expect(receiver.seqs).toEqual([1, 2, 1, 2]));
      share.free();
      await eventually(async () => {
        await bench.aheadToNext();
        expect(receiver.seqs.slice(4)).toEqual([3, 4]);
      });
      // To wait for room is no attempt.
      expect(receiver.received.map(({ headers }) => headers['x-a2a-attempt'])).toEqual(Array(6).fill('1'));
      // The share is given back after the receiver has answered.
      await eventually(async () => (await taken('crm')).free());
    },
  );

  it('are not held up by the share of another client (A1, I15)', async () => {
    const share = await taken('erp');
    const run = await bench.task({ url: receiver.url });
    await bench.commit(run, chunkOf(TEXT, 'first'));
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3]));
    share.free();
  });

  it('are counted until their receiver has answered, or has gone (A1, I15)', async () => {
    const held: (() => void)[] = [];
    receiver.behave = ({ seq }, response) => {
      if (seq < 3) answer(200)({ seq } as never, response);
      else held.push(seq === 3 ? () => response.writeHead(200).end() : () => response.destroy());
    };
    const run = await bench.task({ url: receiver.url });
    for (const how of ['first', 'next'] as const) {
      await bench.commit(run, chunkOf(TEXT, how));
      await eventually(() => expect(held).toHaveLength(1));
      expect(await take('crm')).toBe('no-room');
      held.pop()?.();
      await eventually(async () => {
        (await taken('crm')).free();
      });
    }
  });
});
