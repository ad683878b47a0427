import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { leftMs, newBudget } from './budget.js';

describe(leftMs.name, () => {
  it('leaves a check its time while other threads of the process are busy (P-1, I12)', async () => {
    const busy = new Worker('for (;;);', { eval: true });
    try {
      await once(busy, 'online');
      const budget = newBudget();
      waitBeside();
      expect(leftMs(budget)).toBeGreaterThan(20);
      waitBeside();
      expect(leftMs(budget)).toBeGreaterThan(10);
      const until = performance.now() + 10_000;
      while (leftMs(budget) > 0 && performance.now() < until);
      expect(leftMs(budget)).toBeLessThanOrEqual(0);
    } finally {
      await busy.terminate();
    }
  });
});

/** Does nothing until other threads have worked for longer than any check may. */
function waitBeside(): void {
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user < 100_000) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}
