import { TaskStores } from '../../test/support/task-stores.js';
import { violations } from '../../test/support/invariants.js';
import { check, type Findings, recoveryTimes } from './checker.js';
import { spread } from './figures.js';
import type { Fleet } from './fleet.js';
import { type Outcome, unless } from './scenario.js';
import { readStoredTasks, type StoredTask } from './stored-tasks.js';
import type { History } from './workload.js';

/** The zeros that hold in every scenario, read from what callers were told and what is stored. */
export async function verdict(
  fleet: Fleet,
  history: History,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<Outcome & { readonly stored: readonly StoredTask[]; readonly findings: Findings }> {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  const { faults, ...findings } = check(history, stored);
  const stores = TaskStores.connect(fleet.redis.url, { keyPrefix: fleet.keyPrefix });
  const broken = await violations(stores);
  stores.redis.disconnect();
  const { lost, orphans, doubleTerminal, afterTerminal, gaps, wrongResults, uncanceled } = findings;
  const figures = {
    ...findings,
    ...{ kills: fleet.kills.length, recoveryMs: spread(recoveryTimes(stored, fleet.kills)), tries: history.tries },
    ...{ violations: broken.length, refusals: history.refusals.length, surprises: fleet.surprises.length },
    ...extra,
  };
  const kept = unless({
    'tasks were lost': lost === 0,
    'tasks are orphaned or doubled': orphans === 0,
    'a task ended twice': doubleTerminal === 0,
    'events came after the end': afterTerminal === 0,
    'events are not numbered without a gap': gaps === 0,
    'results are wrong': wrongResults === 0,
    'canceled tasks are not canceled': uncanceled === 0,
    'not every message has its task': findings.tasks === history.orders.length,
    'calls were refused': history.refusals.length === 0,
    'stored tasks are not as they must be': broken.length === 0,
    'processes ended by themselves': fleet.surprises.length === 0,
  });
  const details = [...faults, ...broken.slice(0, 5), ...history.refusals.slice(0, 3), ...fleet.surprises.slice(0, 3)];
  return { stored, findings: { ...findings, faults }, figures, broken: kept.length === 0 ? [] : [...kept, ...details] };
}
