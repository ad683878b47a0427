import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { countOf, insist, type Order, paramsOf, type Plan } from '../../load/caller.js';
import { beginningsOf } from '../../check/checker.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { emptyHistory, type History } from '../../load/history.js';
import { type Scenario, unless } from '../../scenario.js';
import { verdict } from '../../check/verdict.js';

/** One long task whose worker dies again and again; with the attempts that every task has. */
export const progress: Scenario = {
  name: 'progress',
  what: 'tasks of 60 s in steps of one second; their workers are killed every 8 s',
  tasks: { usual: 3, full: 3 },
  settings: { steps: 60, 'step-ms': 1_000, 'kill-every-ms': 8_000, standby: 2, 'timeout-s': 300 },

  async run({ tasks, setting, say }) {
    // All tasks are on one worker, and the next one takes them all.
    const fleet = await Fleet.start({
      size: { api: 1, worker: 1, dispatcher: 1 },
      standby: { worker: setting('standby') },
    });
    try {
      const plan = { steps: setting('steps'), pauseMs: setting('step-ms'), asks: false };
      const history = emptyHistory();
      const began = Date.now();
      for (let sent = 0; sent < tasks; sent += 1) await send(fleet, history, plan);
      const isOver = async (): Promise<boolean> => (await countOf(() => fleet.apis, 'TASK_STATE_WORKING')) === 0;
      await pause(setting('kill-every-ms'));
      const killing = setInterval(() => {
        const [victim] = fleet.up('worker');
        if (victim !== undefined) fleet.kill(victim, 'worker', 'SIGKILL');
        say(`${String(fleet.kills.length)} kills`);
      }, setting('kill-every-ms'));
      await until(isOver, setting('timeout-s') * 1000).finally(() => {
        clearInterval(killing);
      });
      const seconds = Math.round((Date.now() - began) / 1000);
      const { stored, figures, broken, findings, summary } = await verdict(fleet, history);
      const runs = stored.map((task) => beginningsOf(task).length);
      return {
        figures: { ...figures, runs, seconds },
        summary: `${summary}; ${String(fleet.kills.length)} kills, ${runs.join(', ')} runs, completed after ${String(seconds)} s`,
        broken: [
          ...broken,
          ...unless({
            'a task that made progress did not complete': findings.completed === tasks,
            'no task was run more often than attempts allow': runs.some((count) => count > 3) || setting('steps') < 30,
          }),
        ],
        late: [],
      };
    } finally {
      await fleet.stop();
    }
  },
};

async function send(fleet: Fleet, history: History, plan: Plan): Promise<void> {
  const order: Order = { messageId: randomUUID(), skillId: 'toil', plan };
  history.orders.push(order);
  const { result } = await insist(() => fleet.apis, 'SendMessage', paramsOf(order));
  history.accepted.set(order.messageId, new Set([result?.task?.id ?? '']));
}
