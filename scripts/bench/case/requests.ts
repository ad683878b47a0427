import type { BenchCase, Goal } from '../bench-case.js';
import type { Load } from '../system/lab.js';
import { PROCESSOR_TIME, RATE, Rounds } from '../report/rounds.js';
import { aMessage, rpcBody, sendBody } from '../load/rpc.js';
import { A2A_SYSTEMS, type System, type SystemName } from '../system/system.js';

interface RequestCase {
  readonly name: string;
  readonly what: string;
  readonly load: Omit<Load, 'body'>;
  /** The request's body; absent for a GET. Called once for each system, which may need something to ask for. */
  readonly body?: (system: System) => object | Promise<object>;
  readonly goals: readonly Omit<Goal, 'case'>[];
  /** Systems with a figure here; absent: all. */
  readonly systems?: readonly SystemName[];
}

/** Reading has nothing to do with workers and dispatchers. */
const READERS: readonly SystemName[] = ['parley', 'parley-guarded', 'sdk-memory', 'sdk-redis'];
const PLAIN: readonly SystemName[] = ['parley', 'parley-apart', 'sdk-memory', 'sdk-redis'];

const FAST: Omit<Goal, 'case' | 'against' | 'atLeast'> = { figure: RATE, system: 'parley' };
/** Permitted cost of all guards together. */
const GUARDED: Omit<Goal, 'case'> = { figure: RATE, system: 'parley-guarded', against: 'parley', atLeast: 0.85 };

const send = (): object => sendBody('SendMessage', 'instant');
const DONE = 'TASK_STATE_COMPLETED';

const CASES: readonly RequestCase[] = [
  {
    name: 'send',
    what: 'blocking send, 32 connections',
    load: { connections: 32, expected: DONE },
    body: send,
    goals: [
      { ...FAST, against: 'sdk-memory', atLeast: 1.6 },
      { ...FAST, against: 'sdk-redis', atLeast: 2 },
      { ...FAST, system: 'parley-apart', against: 'sdk-memory', atLeast: 1.2 },
      { figure: PROCESSOR_TIME, system: 'parley-apart', atMost: 350 },
      GUARDED,
    ],
  },
  {
    name: 'send-one',
    what: 'blocking send, 1 connection',
    load: { connections: 1, expected: DONE },
    body: send,
    systems: PLAIN,
    goals: [{ figure: 'p50, ms', system: 'parley', against: 'sdk-memory', atMost: 2.2 }],
  },
  {
    name: 'send-steady',
    what: 'blocking send at a steady 500/s',
    load: { connections: 32, expected: DONE, perSecond: 500 },
    body: send,
    systems: PLAIN,
    goals: [{ figure: 'p99, ms', system: 'parley', against: 'sdk-memory', atMost: 1.5 }],
  },
  {
    name: 'send-nowait',
    what: 'non-blocking send, 32 connections',
    load: { connections: 32, expected: '"task"' },
    body: () => sendBody('SendMessage', 'instant', { configuration: { returnImmediately: true } }),
    goals: [{ ...FAST, against: 'sdk-memory', atLeast: 1.7 }, GUARDED],
  },
  {
    name: 'stream',
    what: 'streaming send drained, 32 connections',
    load: { connections: 32, expected: DONE },
    body: () => sendBody('SendStreamingMessage', 'instant'),
    goals: [{ ...FAST, against: 'sdk-memory', atLeast: 1.6 }, GUARDED],
  },
  {
    name: 'get',
    what: 'GetTask, 32 connections',
    load: { connections: 32, expected: DONE },
    body: async (system) => rpcBody('GetTask', { id: await taskOf(system, 'instant') }),
    systems: READERS,
    goals: [{ ...FAST, against: 'sdk-memory', atLeast: 2.5 }, GUARDED],
  },
  {
    name: 'get-big',
    what: 'GetTask with a 1 MB artifact, 4 connections',
    load: { connections: 4, expected: '"task' },
    body: async (system) => rpcBody('GetTask', { id: await taskOf(system, 'big') }),
    systems: ['parley', 'sdk-memory', 'sdk-redis'],
    goals: [],
  },
  {
    name: 'card',
    what: 'agent card, 32 connections',
    load: { path: '/.well-known/agent-card.json', connections: 32, expected: 'supportedInterfaces' },
    systems: ['parley', 'sdk-memory'],
    goals: [{ ...FAST, against: 'sdk-memory', atLeast: 2 }],
  },
];

async function taskOf(system: System, skillId: string): Promise<string> {
  const { task } = await system.call('SendMessage', { message: aMessage(skillId) });
  return (task as { id: string }).id;
}

/** One kind of request, over and over, on every system in turn. */
function benchCase({ name, what, load, body, goals, systems: wanted = A2A_SYSTEMS }: RequestCase): BenchCase {
  return {
    name,
    what,
    goals: goals.map((goal) => ({ ...goal, case: what })),
    async run(lab) {
      const rounds = new Rounds(what);
      const systems = await lab.startAll(wanted);
      const loads = new Map<System, Load>();
      for (const system of systems) {
        loads.set(system, body === undefined ? load : { ...load, body: await body(system) });
      }
      await rounds.interleave(lab, loads);
      return rounds.measures;
    },
  };
}

export const REQUEST_CASES: readonly BenchCase[] = CASES.map(benchCase);
