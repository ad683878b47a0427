import { RunQueue } from '../../queue/run.queue.js';
import { SweepStore } from '../../task/sweep.store.js';
import { type Variables, withService } from '../with-service.js';
import { type Finding, fine } from './finding.js';

/** A dispatcher looks every second or so; tasks that wait longer than this have none. */
const SWEEP_MS = 60_000;

/** Whether somebody runs tasks, and makes good what crashes leave behind. */
export async function checkWork(variables?: Variables): Promise<readonly Finding[]> {
  return withService(async (service) => {
    const queue = service.get(RunQueue, { strict: false });
    const [workers, waiting] = await Promise.all([queue.workers(), queue.waiting()]);
    const overdue = await service.get(SweepStore, { strict: false }).overdue(SWEEP_MS);
    return [workerFinding(workers, waiting), sweepFinding(overdue)];
  }, variables);
}

function workerFinding(workers: number, waiting: number): Finding {
  if (workers > 0) return fine('work', `${String(workers)} workers are connected`);
  const text = `No worker is connected, and ${String(waiting)} runs wait`;
  return {
    check: 'work',
    severity: 'warn',
    text,
    mend: 'Start processes with ROLE=worker on this Redis and KEY_PREFIX',
  };
}

function sweepFinding(overdue: number): Finding {
  if (overdue === 0) return fine('work', 'The sweep is up to date');
  const text = `${String(overdue)} tasks have waited for the sweep for more than a minute`;
  const mend = 'Start processes with ROLE=dispatcher on this Redis and KEY_PREFIX, or more of them';
  return { check: 'work', severity: 'warn', text, mend };
}
