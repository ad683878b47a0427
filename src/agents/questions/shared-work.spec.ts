import { describe, expect, it } from '@jest/globals';
import { SharedWork } from './shared-work.js';

/** Work that ends on request. */
class Controlled {
  readonly ends: ((outcome: string | Error) => void)[] = [];
  readonly shared = new SharedWork<string>(
    () =>
      new Promise((resolve, reject) => {
        this.ends.push((outcome) => {
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        });
      }),
  );
}

describe(SharedWork, () => {
  it('runs once for all requests during a run, after it', async () => {
    const { shared, ends } = new Controlled();
    const first = shared.run('root');
    const others = Array.from({ length: 100 }, () => shared.run('root'));
    expect(ends).toHaveLength(1);
    ends[0]?.('one');
    expect(await first).toBe('one');
    expect(ends).toHaveLength(2);
    ends[1]?.('two');
    expect(new Set(await Promise.all(others))).toEqual(new Set(['two']));
  });

  it('starts a third run for a request during the second', async () => {
    const { shared, ends } = new Controlled();
    const first = shared.run('root');
    const second = shared.run('root');
    ends[0]?.('one');
    await first;
    const third = shared.run('root');
    ends[1]?.('two');
    expect(await second).toBe('two');
    expect(ends).toHaveLength(3);
    ends[2]?.('three');
    expect(await third).toBe('three');
  });

  it('begins anew when nothing is in progress, and keeps keys apart', async () => {
    const { shared, ends } = new Controlled();
    const runs = [shared.run('root'), shared.run('other')];
    expect(ends).toHaveLength(2);
    for (const end of ends) end('done');
    await Promise.all(runs);
    const later = shared.run('root');
    expect(ends).toHaveLength(3);
    ends[2]?.('later');
    expect(await later).toBe('later');
  });

  it('rejects only the requests of the run that failed', async () => {
    const { shared, ends } = new Controlled();
    const first = shared.run('root');
    const second = shared.run('root');
    ends[0]?.(new Error('away'));
    await expect(first).rejects.toThrow('away');
    ends[1]?.('two');
    expect(await second).toBe('two');
  });
});
