import { TaskStores } from '../../../test/kit/tasks/task-stores.js';
import { violations } from '../../../test/kit/checks/invariants.js';
import { connect } from '../../../src/platform/redis/connection/redis-client.js';
import { check, type Findings, recoveryTimes } from './checker.js';
import { spread } from './figures.js';
import type { Fleet } from '../fleet/fleet.js';
import type { History } from '../load/history.js';
import { unless } from '../scenario.js';
import { readStoredTasks, type StoredTask } from './stored-tasks.js';

export interface Verdict {
  readonly stored: readonly StoredTask[];
  readonly findings: Findings;
  readonly figures: Readonly<Record<string, unknown>>;
  readonly broken: readonly string[];
  /** The zeros in words. */
  readonly summary: string;
}

/** The zeros that hold in every scenario, from the records of callers and the stored data. */
export async function verdict(fleet: Fleet, history: History): Promise<Verdict> {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  const { faults, ...findings } = check(history, stored);
  const violated = await violationsIn(fleet);
  const { refusals, tries } = history;
  const figures = {
    ...findings,
    ...{ kills: fleet.kills.length, recoveryMs: spread(recoveryTimes(stored, fleet.kills)), tries },
    ...{ violations: violated.length, refusals: refusals.length, surprises: fleet.surprises.length },
  };
  const kept = unless({
    ...zeros(findings),
    'not every message has its task': findings.tasks === history.orders.length,
    'calls were refused': refusals.length === 0,
    'stored tasks are not as they must be': violated.length === 0,
    'processes ended by themselves': fleet.surprises.length === 0,
  });
  const details = [...faults, ...violated.slice(0, 5), ...refusals.slice(0, 3), ...fleet.surprises.slice(0, 3)];
  return {
    ...{ stored, figures, findings: { ...findings, faults } },
    broken: kept.length === 0 ? [] : [...kept, ...details],
    summary: summaryOf(findings),
  };
}

function zeros(findings: Omit<Findings, 'faults'>): Readonly<Record<string, boolean>> {
  return {
    'tasks were lost': findings.lost === 0,
    'tasks are orphaned or doubled': findings.orphans === 0,
    'a task ended twice': findings.doubleTerminal === 0,
    'events came after the end': findings.afterTerminal === 0,
    'events are not numbered without a gap': findings.gaps === 0,
    'results are wrong': findings.wrongResults === 0,
    'canceled tasks are not canceled': findings.uncanceled === 0,
    'answers that were taken are lost': findings.unheeded === 0,
    'readers did not get each event once, in order': findings.misread === 0,
    'events never came to their webhook': findings.unnoticed === 0,
  };
}

function summaryOf({ tasks, lost, orphans, doubleTerminal, gaps, afterTerminal }: Omit<Findings, 'faults'>): string {
  const figures = {
    lost,
    orphaned: orphans,
    'ended twice': doubleTerminal,
    gaps,
    'events after the end': afterTerminal,
  };
  return `${tasks} tasks: ${Object.entries(figures)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')}`;
}

/** Faults of the stored data itself, in words. */
export async function violationsIn({ redis, keyPrefix }: Fleet): Promise<readonly string[]> {
  // Thousands of tasks are read at once: no caller waits for the single command here.
  const stores = new TaskStores(connect(redis.url, 'blocking'), { keyPrefix });
  try {
    return await violations(stores);
  } finally {
    stores.redis.disconnect();
  }
}
