import type { Task } from '@parley/protocol/model/task.js';
import type { BenchCase } from '../bench-case.js';
import { Rounds } from '../report/rounds.js';
import { aMessage } from '../load/rpc.js';
import type { System } from '../system/system.js';

const CHUNKS = { usual: 10_000, quick: 200 };
/** The SDK stores the whole task with every event: with as many chunks as ours it would take minutes. */
const PEER_CHUNKS = { usual: 1_000, quick: 100 };
const MAX_ROUNDS = 3;

const title = (size: keyof typeof CHUNKS): string =>
  `an artifact of ${CHUNKS[size].toLocaleString('en-US')} chunks (SDK: ${PEER_CHUNKS[size].toLocaleString('en-US')})`;
const GROWTH = 'processor time of a chunk in the last tenth / in the first';

/** Cost of the last chunk of a long artifact beside the first. */
export const chunks: BenchCase = {
  name: 'chunks',
  what: title('usual'),
  goals: [{ case: title('usual'), figure: GROWTH, system: 'parley', atMost: 1.1 }],

  async run(lab) {
    const size = lab.effort.quick ? 'quick' : 'usual';
    const systems = await lab.startAll(['parley', 'sdk-memory', 'sdk-redis']);
    const rounds = new Rounds(title(size));
    for (let round = 0; round <= Math.min(lab.effort.rounds, MAX_ROUNDS); round += 1) {
      for (const system of systems) {
        const count = (system.name === 'parley' ? CHUNKS : PEER_CHUNKS)[size];
        const { first, last } = await costOf(system, count);
        // The first one warms up.
        if (round === 0) continue;
        const ofChunk = 1000 / (count / 10);
        rounds.add('processor time of a chunk in the first tenth, µs', system.name, first * ofChunk);
        rounds.add('processor time of a chunk in the last tenth, µs', system.name, last * ofChunk);
        rounds.add(GROWTH, system.name, last / first);
      }
    }
    return rounds.measures;
  },
};

/** Lets the skill work, and reads its report of the first and the last tenth of its chunks, in ms. */
async function costOf(system: System, count: number): Promise<{ first: number; last: number }> {
  const { task } = await system.call('SendMessage', { message: aMessage('chunks', String(count)) });
  const cost = (task as Task).artifacts?.find(({ artifactId }) => artifactId === 'cost');
  const [part] = cost?.parts ?? [];
  if (part === undefined || !('text' in part))
    throw new Error(`${system.name} did not finish: ${JSON.stringify(task)}`);
  return JSON.parse(part.text) as { first: number; last: number };
}
