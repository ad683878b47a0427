import { Redis } from 'ioredis';
import { spread } from '../../check/figures.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { type Outcome, type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { readStoredTasks } from '../../check/stored-tasks.js';
import { compare, delays } from '../../webhook/arrivals.js';
import { order } from '../../webhook/orders.js';
import { type ChaosReceiver, healthyReceiver } from '../../webhook/receivers.js';
import { webhookVariables } from '../../webhook/settings.js';

/** Attempts of one process that a crash can cut: each may arrive twice. */
const MAX_UNDER_WAY = 50;
/** A cursor whose process has crashed is free again after 25 s: when nothing new comes for longer, nothing will. */
const CALM_MS = 60_000;

type KillPoint = 'commit' | 'take' | 'post';

/**
 * The dispatcher is killed at the points where something could be lost: when a commit says that there is something to
 * deliver (before it is taken), a moment later (taken, not begun), and when the receiver has the event (sent, not
 * acknowledged).
 */
export const webhookCrashes: Scenario = {
  name: 'webhook-crashes',
  what: 'the dispatcher is killed between commit, take, POST and acknowledgement',
  tasks: { usual: 5_000, full: 5_000 },
  settings: { standby: 2, kills: 200, 'tasks-per-second': 1 },

  async run(options) {
    const receiver = await healthyReceiver().listen();
    const fleet = await Fleet.start({
      size: { api: 1, worker: 1, dispatcher: 1 },
      standby: { dispatcher: options.setting('standby') },
      variables: webhookVariables([receiver]),
    });
    const hints = new Redis(fleet.redis.url);
    try {
      const killer = new Killer(fleet, options.setting('kills'));
      await killer.watch(hints, receiver);
      const ids = await order(
        {
          ...{ tasks: options.tasks, steps: 2, pauseMs: 20, urlsOf: () => [receiver.origin] },
          tasksPerSecond: options.setting('tasks-per-second'),
          isEnough: () => killer.isDone,
        },
        () => fleet.apis,
        options.random,
      );
      killer.stop();
      options.say(`${ids.length} tasks are sent, ${fleet.kills.length} kills`);
      return await outcome(fleet, receiver, killer, options);
    } finally {
      hints.disconnect();
      await fleet.stop();
      await receiver.close();
    }
  },
};

/** Kills the dispatcher at one point after the other, each the given number of times. */
class Killer {
  readonly counts: Record<KillPoint, number> = { commit: 0, take: 0, post: 0 };
  private turn: KillPoint = 'commit';
  /** Whether every point has had its kills. */
  isDone = false;

  constructor(
    private readonly fleet: Fleet,
    private readonly killsEach: number,
  ) {}

  async watch(hints: Redis, receiver: ChaosReceiver): Promise<void> {
    await hints.subscribe(`${this.fleet.keyPrefix}:pushes`);
    hints.on('message', () => {
      if (this.turn === 'commit') this.kill('commit');
      // Long enough for the relay to take it, too short for most deliveries to end.
      if (this.turn === 'take') setTimeout(() => this.kill('take'), 3);
    });
    receiver.onArrival = () => {
      if (this.turn === 'post') this.kill('post');
    };
  }

  stop(): void {
    this.isDone = true;
  }

  private kill(point: KillPoint): void {
    const [victim] = this.fleet.up('dispatcher');
    if (this.isDone || victim === undefined || this.turn !== point) return;
    this.fleet.kill(victim, 'dispatcher', 'SIGKILL');
    this.counts[point] += 1;
    const next: Readonly<Record<KillPoint, KillPoint>> = { commit: 'take', take: 'post', post: 'commit' };
    this.turn = next[point];
    if (Object.values(this.counts).every((count) => count >= this.killsEach)) this.isDone = true;
  }
}

async function outcome(
  fleet: Fleet,
  receiver: ChaosReceiver,
  { counts }: Killer,
  { say }: ScenarioOptions,
): Promise<Outcome> {
  const check = async (): Promise<{ committed: ReadonlyMap<string, number>; missing: number }> => {
    const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
    const committed = new Map(stored.map(({ id, events }) => [id, events.length]));
    return { committed, missing: compare(receiver.arrivals, committed).missing };
  };
  for (let before = -1; receiver.arrivals.length > before;) {
    before = receiver.arrivals.length;
    await until(async () => (await check()).missing === 0, CALM_MS).catch(() => {
      say(`${receiver.arrivals.length} events have arrived so far`);
    });
  }
  const { committed } = await check();
  const findings = compare(receiver.arrivals, committed);
  const kills = fleet.kills.length;
  return {
    figures: {
      ...{ tasks: committed.size, events: receiver.arrivals.length, kills, killPoints: counts },
      ...{ ...findings, delayMs: spread(delays(receiver.arrivals)) },
    },
    summary: `${committed.size} tasks, ${kills} kills: ${findings.missing} events missing, ${findings.reordered} out of order, ${findings.repeated} repeated`,
    late: [],
    broken: unless({
      'events were lost': findings.missing === 0,
      'events arrived out of order': findings.reordered === 0,
      'a repeated event had another body': findings.changed === 0,
      'more events were repeated than crashes can explain': findings.repeated <= kills * MAX_UNDER_WAY,
      'a kill point was never met': Object.values(counts).every((count) => count > 0),
      'processes ended by themselves': fleet.surprises.length === 0,
    }),
  };
}
