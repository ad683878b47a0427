import { percentile } from '../../chaos/check/figures.js';
import type { BenchCase } from '../bench-case.js';
import { withReaders } from '../load/with-readers.js';
import { Rounds } from '../report/rounds.js';
import type { System } from '../system/system.js';
import { WorkerProcess } from '../system/worker-process.js';
import { settingsFile } from '../../../test/kit/app/settings-file.js';

const TOKENS = { usual: 5_000, quick: 100 };
const MAX_ROUNDS = 3;

const title = (size: keyof typeof TOKENS): string =>
  `an answer of ${TOKENS[size].toLocaleString('en-US')} tokens of a model, 200 a second`;
const P99 = 'model to reader p99, ms';
const BEYOND = 'pieces that came beyond the budget of the task';
/** Tokens of the budget that ends an answer early, by models.turnTokens. */
const BUDGET = 300;
/** The service's estimate where a server counts nothing. */
const CHARACTERS_PER_TOKEN = 4;

/** How many pieces a reader gets of those that exceed the budget. @throws where the task does not name the cause of its end */
async function beyondBudget({ name, url, headers }: System, readers: WorkerProcess, count: number): Promise<number> {
  const { pieces, said } = await readers.do<Spent>({ order: 'spent', url, headers, count });
  if (!said.includes(`its budget of ${String(BUDGET)} model tokens`)) throw new Error(`${name} says "${said}"`);
  let tokens = Math.ceil(String(count).length / CHARACTERS_PER_TOKEN);
  return pieces.filter((length) => (tokens += length / CHARACTERS_PER_TOKEN) > BUDGET).length;
}

interface Spent {
  /** Characters of each. */
  readonly pieces: readonly number[];
  readonly said: string;
}

/** A model's text on its way to the reader of a stream: through the skill, Redis, and in one system two processes. */
export const tokens: BenchCase = {
  name: 'tokens',
  what: title('usual'),
  goals: [
    { case: title('usual'), figure: P99, system: 'parley', atMost: 20 },
    { case: title('usual'), figure: P99, system: 'parley-apart', atMost: 20 },
    { case: title('usual'), figure: BEYOND, system: 'parley', atMost: 1 },
    { case: title('usual'), figure: BEYOND, system: 'parley-apart', atMost: 1 },
  ],

  async run(lab) {
    const size = lab.effort.quick ? 'quick' : 'usual';
    const count = TOKENS[size];
    const rounds = new Rounds(title(size));
    const model = new WorkerProcess('./model-server.mjs');
    try {
      const variables = { MODEL_URL: await model.do<string>({}), MODEL_NAME: 'bench' };
      const systems = await lab.startAll(['parley', 'parley-apart'], { variables });
      return await withReaders(async (readers) => {
        for (const system of systems) {
          const { name, url, headers } = system;
          await readers.do<number[]>({ order: 'tokens', url, headers, count: TOKENS.quick });
          for (let round = 0; round < Math.min(lab.effort.rounds, MAX_ROUNDS); round += 1) {
            const before = await system.processorMs();
            const lags = await readers.do<number[]>({ order: 'tokens', url, headers, count });
            const after = await system.processorMs();
            if (lags.length !== count)
              throw new Error(`${name}: ${String(lags.length)} of ${String(count)} tokens came`);
            const used = after.node - before.node + (after.redis ?? 0) - (before.redis ?? 0);
            rounds.add('model to reader p50, ms', name, percentile(lags, 0.5));
            rounds.add(P99, name, percentile(lags, 0.99));
            rounds.add('processor time of a token, Redis included, µs', name, (used * 1000) / count);
          }
        }
        await lab.stopAll();
        const bounded = { variables: { ...variables, PARLEY_FILE: settingsFile({ models: { turnTokens: BUDGET } }) } };
        for (const system of await lab.startAll(['parley', 'parley-apart'], bounded)) {
          rounds.add(BEYOND, system.name, await beyondBudget(system, readers, count));
        }
        return rounds.measures;
      });
    } finally {
      await model.stop();
    }
  },
};
