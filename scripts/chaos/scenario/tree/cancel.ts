import { randomUUID } from 'node:crypto';
import { call, insist, paramsOf, type Order } from '../../load/caller.js';
import { spread } from '../../check/figures.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { type Outcome, type Scenario, unless } from '../../scenario.js';
import { beginningsOf } from '../../check/checker.js';
import { readStoredTasks } from '../../check/stored-tasks.js';

const AT_ONCE = 10;
const DEAF = 5;

/** Tasks begun through one replica are canceled through the other; a few do not hear it. */
export const cancel: Scenario = {
  name: 'cancel',
  what: 'running tasks are canceled through another replica; the skills of a few ignore the abort signal',
  tasks: { usual: 100, full: 100 },
  settings: {},

  async run({ tasks, say }) {
    const fleet = await Fleet.start({ size: { api: 2, worker: 2, dispatcher: 1 }, standby: {} });
    try {
      const heard: number[] = [];
      while (heard.length < tasks)
        heard.push(...(await cancelSome(fleet, 'steps', Math.min(AT_ONCE, tasks - heard.length))));
      say('tasks whose skills obey the abort signal are canceled');
      const forced = await cancelSome(fleet, 'deaf', DEAF);
      return verdictOf(heard, forced);
    } finally {
      await fleet.stop();
    }
  },
};

/** How long each cancel took from the call to the answer that the task is canceled, in ms; Infinity where it is not. */
async function cancelSome(fleet: Fleet, skillId: string, count: number): Promise<readonly number[]> {
  const [one = '', other = ''] = fleet.apis;
  const plan = { steps: 1, pauseMs: 60_000, asks: false };
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      const order: Order = { messageId: randomUUID(), skillId, plan };
      return (await insist(() => [one], 'SendMessage', paramsOf(order))).result?.task?.id ?? '';
    }),
  );
  await until(async () => {
    const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
    const begun = stored.filter((task) => beginningsOf(task).length > 0).map(({ id }) => id);
    return ids.every((id) => begun.includes(id));
  }, 30_000);
  return Promise.all(ids.map((id) => cancelOne(other, id)));
}

async function cancelOne(url: string, id: string): Promise<number> {
  const { result, ms } = await call(url, 'CancelTask', { id }, 20_000);
  const state = (result as { status?: { state?: string } } | undefined)?.status?.state;
  return state === 'TASK_STATE_CANCELED' ? ms : Infinity;
}

function verdictOf(heard: readonly number[], forced: readonly number[]): Outcome {
  const [seen, overruled] = [spread(heard), spread(forced)];
  return {
    figures: { seenMs: seen, forcedMs: overruled },
    summary: `${seen.count} canceled through another replica after ${seen.p50} ms (p50), ${seen.p99} ms (p99); ${overruled.count} deaf skills overruled after ${overruled.max} ms at most`,
    broken: unless({ 'a task was not canceled': [...heard, ...forced].every(Number.isFinite) }),
    late: unless({
      'a cancel took a skill more than 1 s to see (p99)': seen.p99 <= 1_000,
      'a deaf skill was overruled later than 11 s after the cancel': overruled.max <= 11_000,
    }),
  };
}
