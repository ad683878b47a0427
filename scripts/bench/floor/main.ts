/**
 * npm run bench -- floor [-- --against <commit>] [--quick]: the cost of a call, as a share of the same call to the official SDK, and
 * whether that stays above the floor. On Node 24, by hand: figures of a shared machine fail nothing.
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Lab, type Load } from '../system/lab.js';
import { figuresTable, goalsTable } from '../report/report.js';
import { RATE, PROCESSOR_TIME, Rounds } from '../report/rounds.js';
import type { Measure } from '../bench-case.js';
import { FLOW_CASES } from '../case/flows.js';
import { webhooks } from '../case/webhooks.js';
import { aMessage, rpcBody, sendBody } from '../load/rpc.js';
import { type System, type SystemName, SYSTEMS } from '../system/system.js';
import { buildOf, type OtherCommit } from './other-commit.js';
import { floorTable, type FloorLine } from './table.js';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    quick: { type: 'boolean', default: false },
    case: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
  },
});

/** Processor time of the SDK with its store in memory, divided by ours. */
const FLOORS: readonly FloorLine[] = [
  { call: 'send', form: '', atLeast: 1.2 },
  { call: 'send', form: 'guarded' },
  { call: 'send', form: 'apart' },
  { call: 'send', form: 'apart-guarded', atLeast: 0.7 },
  { call: 'stream', form: '', atLeast: 1.2 },
  { call: 'get', form: '', atLeast: 1.25 },
  { call: 'get-big', form: '', atLeast: 1 },
].filter(({ call, form }) => isWanted(call) || isWanted(form));
/** Of agents and webhooks, which the SDK mostly has not: with limits of their own. */
const OTHERS = [...FLOW_CASES, webhooks].filter(({ name }) => isWanted(name));

function isWanted(name: string): boolean {
  return values.case.length === 0 || values.case.includes(name);
}

const DONE = 'TASK_STATE_COMPLETED';
const LOADS: Readonly<Record<string, (system: System) => Promise<Load>>> = {
  send: () => Promise.resolve({ connections: 32, expected: DONE, body: sendBody('SendMessage', 'instant') }),
  stream: () => Promise.resolve({ connections: 32, expected: DONE, body: sendBody('SendStreamingMessage', 'instant') }),
  get: (system) => reading(system, 'instant', 32),
  'get-big': (system) => reading(system, 'big', 4),
};

async function reading(system: System, skill: string, connections: number): Promise<Load> {
  const { task } = await system.call('SendMessage', { message: aMessage(skill) });
  return { connections, expected: '"task', body: rpcBody('GetTask', { id: (task as { id: string }).id }) };
}

const other = values.against === undefined ? undefined : buildOf(values.against);
const usual = values.quick ? { rounds: 3, seconds: 0.4, warmUp: 6_000 } : { rounds: 7, seconds: 0.7, warmUp: 15_000 };
const effort = { ...usual, rounds: Number(values.rounds ?? usual.rounds), quick: false, systems: SYSTEMS };
const [loadBefore = 0] = loadavg();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.setMaxListeners(1000);
const began = Date.now();
const lab = await Lab.open(effort, (line) => void process.stderr.write(`${line}\n`));
const systems = new Map<SystemName, System>();
try {
  for (const name of wanted(other)) {
    const root = name.startsWith('before') ? other?.folder : undefined;
    systems.set(name, await lab.start(name, root === undefined ? {} : { root }));
  }
  const measures = [];
  for (const call of [...new Set(FLOORS.map((line) => line.call))]) {
    const rounds = new Rounds(call);
    await rounds.interleave(lab, await loadsOf(call));
    measures.push(...rounds.measures.filter(({ figure }) => figure === RATE || figure === PROCESSOR_TIME));
  }
  const of: Measure[] = [];
  await lab.stopAll();
  for (const one of OTHERS) {
    of.push(...(await one.run(lab)));
    await lab.stopAll();
  }
  const conditions = [
    `Node ${process.versions.node}, Redis ${await lab.redisVersion()}, ${String(availableParallelism())} cores`,
    `load average ${loadBefore.toFixed(1)} before the run and ${(loadavg()[0] ?? 0).toFixed(1)} after it`,
    `medians of ${String(effort.rounds)} alternating rounds of ${String(effort.seconds)} s`,
    `${((Date.now() - began) / 60_000).toFixed(1)} minutes${other === undefined ? '' : `; before: ${other.commit}`}`,
  ];
  const goals = OTHERS.flatMap((one) => one.goals);
  const tables = [
    ...(FLOORS.length === 0 ? [] : [floorTable(FLOORS, measures)]),
    ...(OTHERS.length === 0 ? [] : [figuresTable(of), goalsTable(goals, of)]),
  ];
  console.log(`${conditions.join(', ')}.\n\n${tables.join('\n\n')}`);
} finally {
  await lab.close();
}
process.exit(0);

async function loadsOf(call: string): Promise<ReadonlyMap<System, Load>> {
  const loads = new Map<System, Load>();
  for (const name of systemsOf(call, other)) {
    const system = systems.get(name);
    const load = await (system && LOADS[call]?.(system));
    if (system !== undefined && load !== undefined) loads.set(system, load);
  }
  return loads;
}

function wanted(against: OtherCommit | undefined): ReadonlySet<SystemName> {
  return new Set(FLOORS.flatMap(({ call }) => systemsOf(call, against)));
}

/** The systems that a call is measured of, in the order in which they take turns. */
function systemsOf(call: string, against: OtherCommit | undefined): readonly SystemName[] {
  const forms = FLOORS.filter((line) => line.call === call).map(({ form }) => (form === '' ? '' : `-${form}`));
  const ours = forms.flatMap((form) => [
    `parley${form}` as SystemName,
    ...(against === undefined ? [] : [`before${form}` as SystemName]),
  ]);
  return ['sdk-memory', ...ours, 'sdk-redis'];
}
