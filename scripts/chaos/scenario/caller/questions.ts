import { Fleet } from '../../fleet/fleet.js';
import { type Scenario, unless } from '../../scenario.js';
import { answerFigures, type TreePlan, treeFindings, treePromises, TreeWork } from '../../load/tree-work.js';
import { settingsFile } from '../../../../test/kit/app/settings-file.js';

/** Each leaf of each tree asks; all are answered through the root by two replicas at once, in any order, while workers are killed. */
export const questions: Scenario = {
  name: 'questions',
  what: 'the leaves of trees ask, and are answered twice through their root, in any order, while workers are killed',
  tasks: { usual: 10, full: 40 },
  settings: { workers: 3, standby: 2, least: 1, width: 10, 'kill-every-ms': 1_000, 'timeout-s': 300 },

  async run({ tasks, random, setting }) {
    const plan: TreePlan = { depth: 2, width: setting('width'), limit: 100, steps: 1, pauseMs: 5, asks: true };
    const fleet = await Fleet.start({
      size: { api: 2, worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      taskOptions: { maxAttempts: 100 },
      variables: { PARLEY_FILE: settingsFile({ tasks: { askAfterMs: 1_000 } }) },
    });
    try {
      const work = new TreeWork(plan, () => fleet.apis, random);
      const kill = { role: 'worker', everyMs: setting('kill-every-ms'), least: setting('least'), random } as const;
      await fleet.killWhile(() => work.run(tasks, setting('timeout-s') * 1_000), kill);
      const findings = await treeFindings(fleet, work, plan);
      const answers = answerFigures(work);
      return {
        figures: { ...findings, kills: fleet.kills.length, answerMs: answers },
        summary: `${String(tasks * setting('width') ** 2)} questions in ${String(tasks)} trees, ${String(fleet.kills.length)} kills: ${String(findings.wrongResults)} answers to the wrong question; an answer was taken after ${String(answers.p50)} ms (p50), ${String(answers.p95)} ms (p95)`,
        broken: unless(treePromises(fleet, findings)),
        late: unless({ 'an answer took more than 500 ms to be taken (p95)': answers.p95 <= 500 }),
      };
    } finally {
      await fleet.stop();
    }
  },
};
