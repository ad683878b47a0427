import type { BenchCase, Measure } from '../bench-case.js';
import type { Lab } from '../system/lab.js';
import { Rounds } from '../report/rounds.js';
import { sendBody } from '../load/rpc.js';
import type { System } from '../system/system.js';
import { WorkerProcess } from '../system/worker-process.js';

const TASKS = { usual: 500, quick: 20 };
const EVENTS = 6;
const MAX_ROUNDS = 3;

const RATE = 'tasks/s';
const what = 'tasks with 6 events and 6 webhooks each';

/** From the first message to the last webhook at its receiver. */
export const webhooks: BenchCase = {
  name: 'webhooks',
  what,
  goals: [{ case: what, figure: RATE, system: 'parley', against: 'sdk-memory', atLeast: 1 }],

  async run(lab) {
    const receiver = new WorkerProcess('./receiver.mjs');
    try {
      const port = await receiver.do<number>({ order: 'listen' });
      const variables = { EGRESS_ALLOW: `localhost:${port}=127.0.0.1/32!http` };
      const systems = await lab.startAll(['parley', 'parley-apart', 'sdk-memory'], { variables });
      return await inTurn(lab, systems, (system) => delivered(lab, system, { receiver, port }));
    } finally {
      await receiver.stop();
    }
  },
};

/** The first round warms up. */
async function inTurn(
  lab: Lab,
  systems: readonly System[],
  deliver: (system: System) => Promise<Delivered>,
): Promise<readonly Measure[]> {
  const rounds = new Rounds(what);
  for (let round = 0; round <= Math.min(lab.effort.rounds, MAX_ROUNDS); round += 1) {
    for (const system of systems) {
      const { perSecond, processorMs } = await deliver(system);
      if (round === 0) continue;
      rounds.add(RATE, system.name, perSecond);
      rounds.add('processor time of a task, µs', system.name, processorMs * 1000);
    }
  }
  return rounds.measures;
}

interface Delivered {
  /** Tasks. */
  readonly perSecond: number;
  /** Of a task, of all processes of the system. */
  readonly processorMs: number;
}

async function delivered(
  lab: Lab,
  system: System,
  { receiver, port }: { receiver: WorkerProcess; port: number },
): Promise<Delivered> {
  const amount = TASKS[lab.effort.quick ? 'quick' : 'usual'];
  const taskPushNotificationConfig = { url: `http://localhost:${port}/` };
  const configuration = { returnImmediately: true, taskPushNotificationConfig };
  await receiver.do({ order: 'expect', count: amount * EVENTS });
  const before = await system.processorMs();
  const began = performance.now();
  const body = sendBody('SendMessage', 'six', { configuration });
  await lab.load(system, { body, connections: 32, expected: '"task"', amount });
  await receiver.do({ order: 'done' });
  const perSecond = (amount * 1000) / (performance.now() - began);
  await system.quiet();
  const after = await system.processorMs();
  const ms = after.node - before.node + (after.redis ?? 0) - (before.redis ?? 0);
  return { perSecond, processorMs: ms / amount };
}
