import { afterEach, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import type { TenantChangesReader } from '../../task/survey/tenant-changes.js';
import type { RedisClock } from '../../task/redis-clock.js';
import type { TenantIndex } from '../../task/tenant-index.js';
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

  it('tells a few consoles in one turn of the event loop, all of them in the end, and none that has left', async () => {
    const watch = new TenantWatch(changes as TenantChangesReader, index as TenantIndex, clock as RedisClock);
    const [turns, onOutage] = [[0], (): void => undefined];
    for (let console = 0; console < 10; console += 1) {
      leaves.push(watch.watch('tenant', { onNews: () => turns.push((turns.pop() ?? 0) + 1), onOutage }));
    }
    let isTold = false;
    leaves.push(watch.watch('tenant', { onNews: () => (isTold = true), onOutage }));
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate();
      if (turn === 1) leaves.pop()?.();
      turns.push(0);
    }
    expect(turns.filter((told) => told > 0)).toEqual([4, 4, 2]);
    expect(isTold).toBe(false);
  });
});
