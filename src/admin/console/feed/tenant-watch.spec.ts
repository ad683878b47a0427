import { afterEach, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import type { TenantChangesReader } from '../../../tasks/survey/tenant-changes.js';
import type { RedisClock } from '../../../platform/redis/redis-clock.js';
import type { TenantIndex } from '../../../tasks/lists/tenant-index.js';
import { TenantWatch } from './tenant-watch.js';

const changes: Pick<TenantChangesReader, 'since'> = {
  since: () => Promise.resolve({ states: { TASK_STATE_WORKING: 1 }, changed: [{ id: 't', score: '1', ms: 1 }] }),
};
const index: Pick<TenantIndex, 'rows'> = { rows: () => Promise.resolve([]) };
const clock: Pick<RedisClock, 'now'> = { now: () => 1 };

describe(TenantWatch.name, () => {
  const leaves: (() => void)[] = [];

  afterEach(() => {
    for (const leave of leaves.splice(0)) leave();
  });

  it('notifies some consoles at a time, all of them in the end, and none that has left', async () => {
    const watch = new TenantWatch(changes as TenantChangesReader, index as TenantIndex, clock as RedisClock);
    const [turns, onOutage] = [[0], (): void => undefined];
    const told = (): number => turns.reduce((sum, one) => sum + one, 0);
    for (let console = 0; console < 10; console += 1) {
      leaves.push(watch.watch('tenant', { onNews: () => turns.push((turns.pop() ?? 0) + 1), onOutage }));
    }
    let isTold = false;
    const leave = watch.watch('tenant', { onNews: () => (isTold = true), onOutage });
    while (told() < 10) {
      await setImmediate();
      if (told() > 0) leave();
      turns.push(0);
    }
    expect(turns.filter((one) => one > 0)).toEqual([4, 4, 2]);
    expect(isTold).toBe(false);
  });

  it('notifies more at a time when there are many, so that the last one does not wait long', async () => {
    const watch = new TenantWatch(changes as TenantChangesReader, index as TenantIndex, clock as RedisClock);
    const turns = [0];
    const onNews = (): number => turns.push((turns.pop() ?? 0) + 1);
    for (let console = 0; console < 3_000; console += 1) {
      leaves.push(watch.watch('tenant', { onNews, onOutage: () => undefined }));
    }
    while (turns.reduce((sum, one) => sum + one, 0) < 3_000) {
      await setImmediate();
      turns.push(0);
    }
    expect(turns.filter((one) => one > 0)).toHaveLength(30);
  });
});
