import { Redis } from 'ioredis';
import type { BenchCase } from '../bench-case.js';
import type { Lab } from '../system/lab.js';
import { Rounds } from '../report/rounds.js';
import type { System } from '../system/system.js';
import { fill } from './list/list.js';

const SENDS = { usual: 5_000, quick: 200 };
const TITLE = 'what a blocking send leaves in Redis';
const COMMANDS = 'commands, those of scripts included';
const BYTES = 'memory of a finished task, bytes';

/** A script is counted by the commands that it runs. */
const IS_SCRIPT = /^cmdstat_(evalsha|eval|script)/;

/** Redis commands of one send, and memory of a finished task: both are the same on every machine. */
export const footprint: BenchCase = {
  name: 'footprint',
  what: TITLE,
  goals: [
    { case: TITLE, figure: COMMANDS, system: 'parley', atMost: 16 },
    { case: TITLE, figure: BYTES, system: 'parley', atMost: 4_096 },
  ],

  async run(lab) {
    const rounds = new Rounds(TITLE);
    for (const system of await lab.startAll(['parley', 'parley-apart', 'sdk-redis'])) {
      const client = new Redis(system.redis?.url ?? '');
      try {
        await measure(lab, system, client, rounds);
      } finally {
        client.disconnect();
      }
    }
    return rounds.measures;
  },
};

async function measure(lab: Lab, system: System, client: Redis, rounds: Rounds): Promise<void> {
  const sends = SENDS[lab.effort.quick ? 'quick' : 'usual'];
  // The first tasks make the keys that all others share.
  await fill(lab, system, 100);
  const before = await usedMemory(client);
  await client.config('RESETSTAT');
  await fill(lab, system, sends);
  rounds.add(COMMANDS, system.name, (await commandCount(client)) / sends);
  rounds.add(BYTES, system.name, ((await usedMemory(client)) - before) / sends);
}

async function commandCount(client: Redis): Promise<number> {
  const lines = (await client.info('commandstats')).split('\r\n').filter((line) => line.startsWith('cmdstat_'));
  return lines
    .filter((line) => !IS_SCRIPT.test(line))
    .reduce((sum, line) => sum + Number(/calls=(\d+)/.exec(line)?.[1] ?? 0), 0);
}

async function usedMemory(client: Redis): Promise<number> {
  return Number(/used_memory_dataset:(\d+)/.exec(await client.info('memory'))?.[1] ?? 0);
}
