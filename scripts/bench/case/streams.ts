import { percentile } from '../../chaos/check/figures.js';
import type { BenchCase, Measure } from '../bench-case.js';
import { withReaders } from '../load/with-readers.js';
import { Rounds } from '../report/rounds.js';
import type { System } from '../system/system.js';

const SIZES = { usual: [1_000, 10_000], quick: [50] };
const POKES = { usual: 250, quick: 20 };

const title = (count: number): string => `${count.toLocaleString('en-US')} open streams of one process`;
const MEMORY = 'memory of a stream, KiB';
const LAG = 'skill to reader p99, ms';

/** Streams of tasks that wait: the memory of each, and the delay of an event of one of them. */
export const streams: BenchCase = {
  name: 'streams',
  what: '1,000 and 10,000 open streams of one process',
  goals: [
    { case: title(10_000), figure: MEMORY, system: 'parley', atMost: 20 },
    { case: title(10_000), figure: LAG, system: 'parley', atMost: 20 },
  ],

  async run(lab) {
    const size = lab.effort.quick ? 'quick' : 'usual';
    const measures: Measure[] = [];
    for (const count of SIZES[size]) {
      measures.push(...(await measure(await lab.start('parley'), count, POKES[size])));
      await lab.stopAll();
    }
    return measures;
  },
};

async function measure(system: System, count: number, pokes: number): Promise<readonly Measure[]> {
  const { name, url, headers } = system;
  const rounds = new Rounds(title(count));
  return withReaders(async (readers) => {
    const order = <T>(order: string, times: number): Promise<T> => readers.do<T>({ order, url, headers, count: times });
    // Code loaded by the first streams and events stays: it belongs to no stream.
    await order('open', 20);
    await order('poke', 20);
    const before = await system.memory();
    await order('open', count);
    await system.quiet();
    rounds.add(MEMORY, name, ((await system.memory()) - before) / count / 1024);
    const lags = await order<number[]>('poke', pokes);
    rounds.add('skill to reader p50, ms', name, percentile(lags, 0.5));
    rounds.add(LAG, name, percentile(lags, 0.99));
    return rounds.measures;
  });
}
