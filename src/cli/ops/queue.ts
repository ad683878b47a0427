import type { INestApplicationContext } from '@nestjs/common';
import { RunQueue } from '../../runs/queue/run.queue.js';
import { type Output, table } from './output.js';

/** Counts of runs and wake-ups by state, and how long the next run has waited. */
export async function showQueue(service: INestApplicationContext): Promise<Output> {
  const queue = service.get(RunQueue, { strict: false });
  const [jobs, oldestWaitSeconds] = await Promise.all([queue.counts(), queue.oldestWaitSeconds()]);
  const rows = Object.entries(jobs).map(([state, count]) => [state, String(count)]);
  const next =
    oldestWaitSeconds === 0 ? 'No runs waiting.' : `The next run has waited for ${oldestWaitSeconds.toFixed(1)} s.`;
  const text = `${table(['state', 'runs'], rows)}\n${next}`;
  return { json: { jobs, oldestWaitSeconds }, text };
}
