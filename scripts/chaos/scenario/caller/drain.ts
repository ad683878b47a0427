import { setTimeout as pause } from 'node:timers/promises';
import { Balancer } from '../../fleet/balancer.js';
import { beginningsOf } from '../../check/checker.js';
import { spread } from '../../check/figures.js';
import { Fleet, type Role, until } from '../../fleet/fleet.js';
import { isEnd } from '../../load/history.js';
import { type Outcome, type Scenario, unless } from '../../scenario.js';
import type { Service } from '../../fleet/service.js';
import { SteadyLoad } from '../../load/steady-load.js';
import { readStoredTasks } from '../../check/stored-tasks.js';
import { verdict } from '../../check/verdict.js';
import { type ChaosReceiver, healthyReceiver } from '../../webhook/receivers.js';
import { webhookVariables } from '../../webhook/settings.js';

const DRAIN_MS = 10_000;
/** A replica serves for this long after SIGTERM, because load balancers notice the shutdown late. */
const LEAVE_DELAY_MS = 1_500;
const LONGEST_EXIT_MS = DRAIN_MS + LEAVE_DELAY_MS + 5_000;

/** Every process is replaced in turn while callers send, wait and read. */
export const drain: Scenario = {
  name: 'drain',
  what: 'all processes behind a TCP balancer are replaced in turn under load',
  settings: { apis: 3, workers: 3, dispatchers: 2, callers: 9 },

  async run({ random, setting, say }) {
    const receiver = await healthyReceiver().listen();
    const fleet = await Fleet.start({
      size: { api: setting('apis'), worker: setting('workers'), dispatcher: setting('dispatchers') },
      standby: { api: 1, worker: 1, dispatcher: 1 },
      variables: {
        ...webhookVariables([receiver]),
        ...{ DRAIN_MS: String(DRAIN_MS), LEAVE_DELAY_MS: String(LEAVE_DELAY_MS) },
      },
    });
    const balancer = await Balancer.start(() => fleet.apis);
    try {
      const { url } = balancer;
      const load = new SteadyLoad({ url, random, hook: receiver.origin, notices: receiver.arrivals });
      const loading = load.run(setting('callers'));
      const exits: Exit[] = [];
      for (const role of ROLES) {
        for (const service of fleet.up(role)) exits.push(await replace(fleet, role, service));
        say(`every ${role} was replaced`);
      }
      load.end();
      await loading;
      await until(async () => (await unfinished(fleet)) === 0, 60_000);
      await until(() => finalNotices(receiver) >= load.history.orders.length, 60_000).catch(() => undefined);
      return await outcome(fleet, load, exits);
    } finally {
      balancer.stop();
      await fleet.stop();
      await receiver.close();
    }
  },
};

interface Exit {
  readonly ms: number;
  readonly code: number | null;
}

/** In the order in which an operator would notice. */
const ROLES = ['api', 'worker', 'dispatcher'] as const;

async function replace(fleet: Fleet, role: Role, service: Service): Promise<Exit> {
  await fleet.add(role);
  const signalled = Date.now();
  fleet.kill(service, role, 'SIGTERM');
  await Promise.race([service.ended, pause(LONGEST_EXIT_MS + 5_000)]);
  return { ms: Date.now() - signalled, code: service.exitCode };
}

async function outcome(fleet: Fleet, load: SteadyLoad, exits: readonly Exit[]): Promise<Outcome> {
  const { stored, figures, broken, summary } = await verdict(fleet, load.history);
  const restarted = stored.filter((task) => beginningsOf(task).length > 1).length;
  const promises = unless({
    'calls failed': load.failures.length === 0,
    'skills shorter than the drain time ran twice': restarted === 0,
    'a process did not leave in order': exits.every(({ code }) => code === 0),
  });
  const late = unless({ 'a process did not leave in time': exits.every(({ ms }) => ms <= LONGEST_EXIT_MS) });
  const leaving = { exitMs: spread(exits.map(({ ms }) => ms)), exitCodes: exits.map(({ code }) => code) };
  const { calls, streams } = load;
  const counts = { calls, streams, failed: load.failures.length, restarted, callMs: spread(load.times) };
  return {
    figures: { ...figures, ...counts, ...leaving },
    summary: `${summary}; ${exits.length} processes replaced, ${load.failures.length} of ${calls} calls and ${streams} streams failed, ${restarted} tasks ran twice, longest exit ${leaving.exitMs.max} ms`,
    late,
    broken: [...broken, ...promises, ...load.failures.slice(0, 5)],
  };
}

/** Tasks whose end the receiver has heard of. */
function finalNotices({ arrivals }: ChaosReceiver): number {
  return new Set(arrivals.filter(({ body }) => isEnd(body)).map(({ taskId }) => taskId)).size;
}

async function unfinished(fleet: Fleet): Promise<number> {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  return stored.filter(({ fields }) => fields.state !== 'TASK_STATE_COMPLETED').length;
}
