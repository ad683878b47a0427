import type { BenchCase } from '../../bench-case.js';
import type { Lab, Load } from '../../system/lab.js';
import { RATE, Rounds } from '../../report/rounds.js';
import { rpcBody, sendBody } from '../../load/rpc.js';
import type { System } from '../../system/system.js';

const TASKS = { usual: 24_000, quick: 500 };

/** The page that everybody asks for first. */
export const LIST_LOAD: Load = { body: rpcBody('ListTasks', {}), connections: 4, expected: 'nextPageToken' };

export const listTitle = (count: number): string =>
  `ListTasks, page of 50 of ${count.toLocaleString('en-US')} tasks, 4 connections`;

export const list: BenchCase = {
  name: 'list',
  what: listTitle(TASKS.usual),
  goals: [{ case: listTitle(TASKS.usual), figure: RATE, system: 'parley', against: 'sdk-memory', atLeast: 25 }],

  async run(lab) {
    const count = TASKS[lab.effort.quick ? 'quick' : 'usual'];
    const rounds = new Rounds(listTitle(count));
    const systems = await lab.startAll(['parley', 'sdk-memory']);
    for (const system of systems) await fill(lab, system, count);
    await rounds.interleave(lab, new Map(systems.map((system) => [system, LIST_LOAD])));
    return rounds.measures;
  },
};

/** So many tasks, made as callers make them. */
export async function fill(lab: Lab, system: System, amount: number): Promise<void> {
  await lab.load(system, { body: sendBody('SendMessage', 'instant'), connections: 32, expected: '"task"', amount });
  await system.quiet();
}
