import { describe, expect, it } from '@jest/globals';
import { whileWorking } from './while-working.js';

async function drain<T>(generator: AsyncGenerator<string, T, void>): Promise<{ reports: string[]; result: T }> {
  const reports: string[] = [];
  for (;;) {
    const next = await generator.next();
    if (next.done === true) return { reports, result: next.value };
    reports.push(next.value);
  }
}

describe(whileWorking.name, () => {
  it('yields the reports of the work, in order, and returns its result', async () => {
    const work = async (report: (text: string) => void): Promise<number> => {
      report('a');
      report('b');
      await Promise.resolve();
      report('c');
      return 7;
    };
    expect(await drain(whileWorking(work))).toEqual({ reports: ['a', 'b', 'c'], result: 7 });
  });

  it('rethrows the error of the work, after its reports', async () => {
    const generator = whileWorking((report) => {
      report('a');
      return Promise.reject(new Error('broken'));
    });
    expect(await generator.next()).toEqual({ done: false, value: 'a' });
    await expect(generator.next()).rejects.toThrow('broken');
  });

  it('yields nothing when the work reports nothing', async () => {
    expect(await drain(whileWorking(() => Promise.resolve('x')))).toEqual({ reports: [], result: 'x' });
  });
});
