import { randomUUID } from 'node:crypto';
import type { Order } from '../../load/caller.js';
import { Fleet } from '../../fleet/fleet.js';
import type { History } from '../../load/history.js';
import { type Outcome, type Scenario, unless } from '../../scenario.js';
import type { StoredTask } from '../../check/stored-tasks.js';
import { verdict } from '../../check/verdict.js';
import { Workload } from '../../load/workload.js';

/** Each round has one of them: it blocks the event loop of its worker, kills it, or takes all of its memory. */
const CULPRITS = ['blocker', 'poison', 'glutton'] as const;
/** A glutton must find the end of the heap before the end of the machine. */
const HEAP_MB = 200;
/** Tasks of others that failed, of which the report has the reason. */
const MAX_REASONS = 5;

/** One task that harms its worker, beside tasks of others in the same processes: the others lose nothing by it (I17). */
export const neighbours: Scenario = {
  name: 'neighbours',
  what: 'a task blocks its worker, kills it or takes its memory, beside others in the same processes, again and again',
  tasks: { usual: 50, full: 50 },
  settings: { rounds: 20, workers: 2, standby: 2, 'block-ms': 20_000, 'timeout-s': 300 },

  async run({ tasks, random, setting, say }) {
    const fleet = await Fleet.start({
      size: { api: 1, worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      mortal: ['worker'],
      variables: { NODE_OPTIONS: `--max-old-space-size=${String(HEAP_MB)}` },
    });
    const among: Order[] = [];
    const workload = new Workload(
      {
        ...{ tasks, callers: 8, steps: [1, 16], pauseMs: [50, 500] },
        ...{ canceledShare: 0, askingShare: 0, readShare: 0, among },
      },
      () => fleet.apis,
      random,
    );
    try {
      const rounds = setting('rounds');
      for (let round = 0; round < rounds; round += 1) {
        const skillId = CULPRITS[round % CULPRITS.length] ?? 'blocker';
        const plan = { steps: 0, pauseMs: setting('block-ms'), asks: false };
        among.splice(0, 1, { messageId: randomUUID(), skillId, plan });
        const began = Date.now();
        await workload.run(setting('timeout-s') * 1000);
        say(
          `round ${String(round + 1)}: ${skillId}, ${String(Date.now() - began)} ms, ${String(fleet.fallen)} workers died`,
        );
      }
      return await outcomeOf(fleet, workload.history, tasks * rounds);
    } finally {
      await fleet.stop();
    }
  },
};

async function outcomeOf(fleet: Fleet, history: History, others: number): Promise<Outcome> {
  const { stored, figures, broken, findings, summary } = await verdict(fleet, history);
  const isCulprit = ({ fields: { skill = '' } }: StoredTask): boolean => CULPRITS.some((name) => name === skill);
  const failed = stored.filter((task) => task.fields.state === 'TASK_STATE_FAILED');
  const reasons = failed
    .filter((task) => !isCulprit(task))
    .map(({ id, fields, runs }) => `${id}: ${fields.message ?? ''}; its runs: ${runs.join(', ')}`);
  const harmed = reasons.length;
  const killers = stored.filter((task) => isCulprit(task) && task.fields.skill !== 'blocker');
  const promises = unless({
    'tasks of others failed': harmed === 0,
    'tasks of others did not complete': findings.completed >= others,
    'a task that kills its worker did not fail': killers.every((task) => failed.includes(task)),
  });
  return {
    figures: { ...figures, harmed, fallen: fleet.fallen },
    summary: `${summary}; ${String(fleet.fallen)} workers died; ${String(harmed)} of ${String(others)} others failed`,
    broken: [...broken, ...promises, ...reasons.slice(0, MAX_REASONS)],
    late: [],
  };
}
