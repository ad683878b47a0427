import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { call, type Order, paramsOf } from '../caller.js';
import { beginningsOf } from '../checker.js';
import { spread } from '../figures.js';
import { Fleet, type Role, until } from '../fleet.js';
import { emptyHistory, type History } from '../history.js';
import type { Random } from '../random.js';
import { type Scenario, unless } from '../scenario.js';
import type { Service } from '../service.js';
import { readStoredTasks } from '../stored-tasks.js';
import { verdict } from '../verdict.js';

const DRAIN_MS = 10_000;
/** A replica goes on serving for so long after it was told to leave, because those who route to it learn it late. */
const LEAVE_DELAY_MS = 1_500;
const LONGEST_EXIT_MS = DRAIN_MS + LEAVE_DELAY_MS + 5_000;

/** Every process is replaced in turn while callers send, wait and read. */
export const drain: Scenario = {
  name: 'drain',
  what: 'three replicas of the API and three workers are replaced in turn under load',
  settings: { apis: 3, workers: 3, callers: 6 },

  async run({ random, setting, say }) {
    const fleet = await Fleet.start({
      size: { api: setting('apis'), worker: setting('workers'), dispatcher: 1 },
      standby: { api: 1, worker: 1 },
      variables: { DRAIN_MS: String(DRAIN_MS), LEAVE_DELAY_MS: String(LEAVE_DELAY_MS) },
    });
    try {
      const load = new SteadyLoad(fleet, random);
      const loading = load.run(setting('callers'));
      const exits: Exit[] = [];
      for (const role of ['api', 'worker'] as const) {
        for (const service of fleet.up(role)) exits.push(await replace(fleet, load, role, service));
        say(`every ${role} was replaced`);
      }
      load.end();
      await loading;
      await until(async () => (await unfinished(fleet)) === 0, 60_000);
      const { stored, figures, broken, summary } = await verdict(fleet, load.history);
      const restarted = stored.filter((task) => beginningsOf(task).length > 1).length;
      const promises = unless({
        'calls failed': load.failures.length === 0,
        'skills shorter than the drain time ran twice': restarted === 0,
        'a process did not leave in order': exits.every(({ code }) => code === 0),
      });
      const late = unless({ 'a process did not leave in time': exits.every(({ ms }) => ms <= LONGEST_EXIT_MS) });
      const leaving = { exitMs: spread(exits.map(({ ms }) => ms)), exitCodes: exits.map(({ code }) => code) };
      const counts = { calls: load.calls, failed: load.failures.length, restarted, callMs: spread(load.times) };
      return {
        figures: { ...figures, ...counts, ...leaving },
        summary: `${summary}; ${exits.length} processes replaced, ${load.failures.length} of ${load.calls} calls failed, ${restarted} tasks ran twice, longest exit ${leaving.exitMs.max} ms`,
        late,
        broken: [...broken, ...promises, ...load.failures.slice(0, 5)],
      };
    } finally {
      await fleet.stop();
    }
  },
};

interface Exit {
  readonly ms: number;
  readonly code: number | null;
}

async function replace(fleet: Fleet, load: SteadyLoad, role: Role, service: Service): Promise<Exit> {
  await fleet.add(role);
  const told = Date.now();
  fleet.kill(service, role, 'SIGTERM');
  // The way of an endpoint out of every route takes a moment.
  await pause(LEAVE_DELAY_MS / 2);
  load.routeAround(service.url);
  await Promise.race([service.ended, pause(LONGEST_EXIT_MS + 5_000)]);
  return { ms: Date.now() - told, code: service.exitCode };
}

/** Callers that take one replica after the other and never repeat a call: what fails has failed. */
class SteadyLoad {
  readonly history: History = emptyHistory();
  readonly failures: string[] = [];
  readonly times: number[] = [];
  calls = 0;
  private readonly closed = new Set<string>();
  private isOver = false;

  constructor(
    private readonly fleet: Fleet,
    private readonly random: Random,
  ) {}

  routeAround(url: string | undefined): void {
    if (url !== undefined) this.closed.add(url);
  }

  end(): void {
    this.isOver = true;
  }

  async run(callers: number): Promise<void> {
    await Promise.all(Array.from({ length: callers }, (_unused, at) => this.caller(at % 2 === 0)));
  }

  private async caller(waits: boolean): Promise<void> {
    while (!this.isOver) {
      const plan = { steps: this.random.between(1, 4), pauseMs: this.random.between(20, 250), asks: false };
      const order: Order = { messageId: randomUUID(), skillId: 'steps', plan };
      this.history.orders.push(order);
      const task = (await this.call('SendMessage', paramsOf(order, !waits)))?.task as { id: string } | undefined;
      if (task === undefined) continue;
      this.history.accepted.set(order.messageId, new Set([task.id]));
      await this.call('GetTask', { id: task.id });
      await pause(100);
    }
  }

  private async call(method: string, params: unknown): Promise<Record<string, unknown> | undefined> {
    const url = this.random.pick(this.fleet.apis.filter((it) => !this.closed.has(it))) ?? '';
    const { result, lost, error, status, ms } = await call(url, method, params, 30_000);
    this.calls += 1;
    this.times.push(ms);
    if (result === undefined) this.failures.push(`${method}: ${status} ${lost ?? error?.message ?? ''}`);
    return result;
  }
}

async function unfinished(fleet: Fleet): Promise<number> {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  return stored.filter(({ fields }) => fields.state !== 'TASK_STATE_COMPLETED').length;
}
