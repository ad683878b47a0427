import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const SPIN_MS = 300;

/**
 * Remaining speed of one processor while a second one works too. Virtual processors may be two threads of one core, and a
 * host moves them: a system that uses both then takes up to 1.6 times the processor time for the same work.
 */
export async function speedTogether(): Promise<number> {
  const [alone] = await spins(1);
  const both = await spins(2);
  return both.reduce((sum, turns) => sum + turns, 0) / both.length / (alone ?? 1);
}

function spins(count: number): Promise<readonly number[]> {
  return Promise.all(Array.from({ length: count }, spin));
}

async function spin(): Promise<number> {
  const worker = new Worker(new URL('./spin.mjs', import.meta.url), { workerData: { ms: SPIN_MS } });
  const [{ turns }] = (await once(worker, 'message')) as [{ turns: number }];
  return turns;
}
