import { randomUUID } from 'node:crypto';
import type { Order } from '../../load/caller.js';
import { beginningsOf } from '../../check/checker.js';
import { Fleet } from '../../fleet/fleet.js';
import { type Scenario, unless } from '../../scenario.js';
import type { StoredTask } from '../../check/stored-tasks.js';
import { verdict } from '../../check/verdict.js';
import { Workload } from '../../load/workload.js';

const ATTEMPTS = 3;

/** A few tasks whose skill kills its worker, among many that do no harm. */
export const poison: Scenario = {
  name: 'poison',
  what: 'a few tasks kill every worker that runs them, among normal tasks',
  tasks: { usual: 200, full: 200 },
  settings: { poisons: 3, workers: 4, standby: 4, 'timeout-s': 300 },

  async run({ tasks, random, setting }) {
    const fleet = await Fleet.start({
      size: { api: 1, worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      mortal: ['worker'],
    });
    try {
      const poisons = Array.from({ length: setting('poisons') }, (): Order => {
        return { messageId: randomUUID(), skillId: 'poison', plan: { steps: 0, pauseMs: 0, asks: false } };
      });
      const workload = new Workload(
        {
          ...{ tasks, callers: 4, steps: [1, 3], pauseMs: [5, 50] },
          ...{ canceledShare: 0, askingShare: 0, readShare: 0, among: poisons },
        },
        () => fleet.apis,
        random,
      );
      await workload.run(setting('timeout-s') * 1000);
      const { stored, figures, broken, findings, summary } = await verdict(fleet, workload.history);
      const poisoned = stored.filter(({ fields }) => fields.skill === 'poison');
      const attempts = poisoned.map((task) => beginningsOf(task).length);
      const promises = unless({
        [`a poisonous task was not tried exactly ${ATTEMPTS} times`]: attempts.every((it) => it === ATTEMPTS),
        'a poisonous task did not fail with a reason': poisoned.every(isFailedWithReason),
        'a harmless task was harmed': findings.completed === tasks,
      });
      const reason = reasonOf(poisoned[0]);
      return {
        figures: { ...figures, attempts, reason },
        summary: `${summary}; the poisonous ones ran ${attempts.join(', ')} times and failed: “${reason}”; ${findings.completed} of ${tasks} others completed`,
        broken: [...broken, ...promises],
        late: [],
      };
    } finally {
      await fleet.stop();
    }
  },
};

function isFailedWithReason(task: StoredTask): boolean {
  return task.fields.state === 'TASK_STATE_FAILED' && reasonOf(task) !== '';
}

function reasonOf(task: StoredTask | undefined): string {
  const { message: text = '' } = task?.fields ?? {};
  const message = (text === '' ? null : JSON.parse(text)) as { parts?: { text?: string }[] } | null;
  return message?.parts?.[0]?.text ?? '';
}
