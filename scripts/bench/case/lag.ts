import { percentile } from '../../chaos/check/figures.js';
import type { BenchCase } from '../bench-case.js';
import { Rounds } from '../report/rounds.js';
import { withReaders } from '../load/with-readers.js';

const TICKS = { usual: 250, quick: 20 };
const MAX_ROUNDS = 3;

const what = 'an event on its way from a worker to a reader of another process, idle';

/** From the line of the skill that yields an event to the reader, through Redis and two processes. */
export const lag: BenchCase = {
  name: 'lag',
  what,
  goals: [
    { case: what, figure: 'p50, ms', system: 'parley-apart', atMost: 2 },
    { case: what, figure: 'p99, ms', system: 'parley-apart', atMost: 10 },
  ],

  async run(lab) {
    const count = TICKS[lab.effort.quick ? 'quick' : 'usual'];
    const systems = await lab.startAll(['parley', 'parley-apart', 'sdk-memory']);
    const rounds = new Rounds(what);
    return withReaders(async (readers) => {
      for (let round = 0; round <= Math.min(lab.effort.rounds, MAX_ROUNDS); round += 1) {
        for (const { name, url, headers } of systems) {
          const lags = await readers.do<number[]>({ order: 'ticks', url, headers, count });
          // The first round warms up.
          if (round === 0) continue;
          rounds.add('p50, ms', name, percentile(lags, 0.5));
          rounds.add('p99, ms', name, percentile(lags, 0.99));
        }
      }
      return rounds.measures;
    });
  },
};
