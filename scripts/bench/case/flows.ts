import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from '@parley/protocol/model/message.js';
import type { Task } from '@parley/protocol/model/task.js';
import { percentile } from '../../chaos/check/figures.js';
import type { BenchCase } from '../bench-case.js';
import type { Lab, Load } from '../system/lab.js';
import { Rounds, warmUp } from '../report/rounds.js';
import { sendBody } from '../load/rpc.js';
import type { System } from '../system/system.js';
import { monotonicMs } from '../system/work.mjs';

const SIZES = {
  usual: { steps: 1_000, tasks: 50, sends: 1_000, trees: 20, answers: 100 },
  quick: { steps: 50, tasks: 2, sends: 50, trees: 1, answers: 5 },
};
/** Children of one fan-out. */
const CHILDREN = 100;
/** Calls of one task: a task that wakes again and again repeats all that it has done before. */
const CALLS = 10;
const LOOK_MS = 5;

const OF_STEPS = 'a task with 1,000 steps, alone on the service';
const STEP = 'a step: p50, ms';
const STEP_TIME = 'processor time of a step, µs';
const REPEATED = 'a repeated run up to behind them: p50, ms';

/** The cost of a stored step, and of repeating a run whose steps are all stored (F4). */
const step: BenchCase = {
  name: 'step',
  what: 'a task with 1,000 steps, and what repeating its run costs',
  goals: [
    { case: OF_STEPS, figure: STEP, system: 'parley', atMost: 0.8 },
    { case: OF_STEPS, figure: STEP_TIME, system: 'parley', atMost: 200 },
    { case: OF_STEPS, figure: REPEATED, system: 'parley', atMost: 20 },
  ],

  run: (lab) =>
    ofParley(lab, OF_STEPS, async (system, rounds) => {
      const { steps } = sizeOf(lab);
      await stepped(system, steps);
      for (let round = 0; round < lab.effort.rounds; round += 1) {
        const [none, all] = [await stepped(system, 0), await stepped(system, steps)];
        rounds.add(STEP, 'parley', percentile(all.times, 0.5));
        rounds.add('a step: p99, ms', 'parley', percentile(all.times, 0.99));
        rounds.add(STEP_TIME, 'parley', ((all.processorMs - none.processorMs) * 1_000) / steps);
        rounds.add(REPEATED, 'parley', all.repeatedMs);
        rounds.add('from the message that ends the wait to the end, ms', 'parley', all.wakeMs);
        rounds.add('the same without steps, ms', 'parley', none.wakeMs);
      }
    }),
};

const OF_CALLS = 'calls of an instant skill, one after the other, nothing else to do';
const CALL = 'a call until its parent goes on: p50, ms';
const SLOW_CALL = 'a call until its parent goes on: p99, ms';
const OF_SEND = 'processor time of a call, × that of a send that does not wait';
const INLINE = 'processor time of an inline skill, × that of a send that does not wait';

/** The cost of a child task, and of a skill without one (F5). */
const call: BenchCase = {
  name: 'call',
  what: 'calls of an instant skill by another, with and without a task of its own',
  goals: [
    { case: OF_CALLS, figure: CALL, system: 'parley', atMost: 2.5 },
    { case: OF_CALLS, figure: SLOW_CALL, system: 'parley', atMost: 60 },
    { case: OF_CALLS, figure: OF_SEND, system: 'parley', atMost: 2.5 },
    { case: OF_CALLS, figure: INLINE, system: 'parley', atMost: 0.15 },
  ],

  run: (lab) =>
    ofParley(lab, OF_CALLS, async (system, rounds) => {
      const { tasks, sends } = sizeOf(lab);
      const send = { ...SEND, connections: 1 };
      await warmUp(lab, system, send);
      for (const skill of ['calls', 'inlines']) await repeated(tasks, () => done(system, skill, String(CALLS)));
      for (let round = 0; round < lab.effort.rounds; round += 1) {
        const sent = (await spent(system, () => lab.load(system, { ...send, amount: sends }))).ms / sends;
        const of = async (skill: string, count: number) =>
          spent(system, () => repeated(tasks, () => done(system, skill, String(count))));
        const [none, called] = [await of('calls', 0), await of('calls', CALLS)];
        const [nothing, inlined] = [await of('inlines', 0), await of('inlines', CALLS)];
        const times = called.value.flatMap((task) => JSON.parse(textOf(task)) as readonly number[]);
        const [ofCall, ofInline] = [called.ms - none.ms, inlined.ms - nothing.ms].map((ms) => ms / tasks / CALLS);
        rounds.add(CALL, 'parley', percentile(times, 0.5));
        rounds.add(SLOW_CALL, 'parley', percentile(times, 0.99));
        rounds.add('processor time of a send that does not wait, µs', 'parley', sent * 1_000);
        rounds.add('processor time of a call, µs', 'parley', (ofCall ?? 0) * 1_000);
        rounds.add(OF_SEND, 'parley', (ofCall ?? 0) / sent);
        rounds.add(INLINE, 'parley', (ofInline ?? 0) / sent);
      }
    }),
};

const OF_FANS = 'a task that calls 100 others, ten at once';
const OF_SENDS = 'its processor time, × that of 100 sends that do not wait';

/** The cost of a fan-out (F6); `npm run chaos -- --scenario fanout` shows its limit, and that the parent is woken once. */
const fanout: BenchCase = {
  name: 'fanout',
  what: 'a task that calls 100 others, ten at once, against as many sends',
  goals: [{ case: OF_FANS, figure: OF_SENDS, system: 'parley', atMost: 1.3 }],

  run: (lab) =>
    ofParley(lab, OF_FANS, async (system, rounds) => {
      const { trees, sends } = sizeOf(lab);
      const send = { ...SEND, connections: 10 };
      await warmUp(lab, system, send);
      await done(system, 'fan', String(CHILDREN));
      for (let round = 0; round < lab.effort.rounds; round += 1) {
        const sent = (await spent(system, () => lab.load(system, { ...send, amount: sends }))).ms / sends;
        const began = performance.now();
        const fanned = await spent(system, async () => {
          await repeated(trees, () => done(system, 'fan', String(CHILDREN)));
          return (performance.now() - began) / trees;
        });
        rounds.add('until its end, ms', 'parley', fanned.value);
        rounds.add(OF_SENDS, 'parley', fanned.ms / trees / CHILDREN / sent);
      }
    }),
};

const OF_ANSWERS = 'a task that asks again and again, answered by a caller that waits for the next question';
const ANSWER = 'from sending an answer until its agent goes on: p50, ms';
const SLOW_ANSWER = 'from sending an answer until its agent goes on: p95, ms';

/** How soon a parked agent goes on with an answer. */
const answer: BenchCase = {
  name: 'answer',
  what: 'answers to the questions of a parked agent',
  goals: [
    { case: OF_ANSWERS, figure: ANSWER, system: 'parley', atMost: 40 },
    { case: OF_ANSWERS, figure: SLOW_ANSWER, system: 'parley', atMost: 100 },
    { case: OF_ANSWERS, figure: ANSWER, system: 'parley-apart', atMost: 40 },
    { case: OF_ANSWERS, figure: SLOW_ANSWER, system: 'parley-apart', atMost: 100 },
  ],

  run: async (lab) => {
    const rounds = new Rounds(OF_ANSWERS);
    const systems = await lab.startAll(['parley', 'parley-apart']);
    for (const system of systems) await answered(system, sizeOf(lab).answers);
    for (let round = 0; round < lab.effort.rounds; round += 1) {
      for (const system of systems) {
        const { value: times, ms } = await spent(system, () => answered(system, sizeOf(lab).answers));
        rounds.add(ANSWER, system.name, percentile(times, 0.5));
        rounds.add(SLOW_ANSWER, system.name, percentile(times, 0.95));
        rounds.add('processor time of a question and its answer, µs', system.name, (ms * 1_000) / times.length);
      }
    }
    return rounds.measures;
  },
};

export const FLOW_CASES: readonly BenchCase[] = [step, call, fanout, answer];

const SEND: Omit<Load, 'connections'> = {
  expected: '"task"',
  body: sendBody('SendMessage', 'instant', { configuration: { returnImmediately: true } }),
};

function sizeOf(lab: Lab) {
  return SIZES[lab.effort.quick ? 'quick' : 'usual'];
}

async function ofParley(lab: Lab, what: string, measure: (system: System, rounds: Rounds) => Promise<void>) {
  const rounds = new Rounds(what);
  for (const system of await lab.startAll(['parley'])) await measure(system, rounds);
  return rounds.measures;
}

/** Processor time that the system takes for some work until it has nothing to do any more, in ms. */
async function spent<T>(system: System, work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const total = async (): Promise<number> => {
    const { node, redis = 0 } = await system.processorMs();
    return node + redis;
  };
  const before = await total();
  const value = await work();
  await system.quiet();
  return { value, ms: (await total()) - before };
}

/** Begins a task that does this many steps and waits; then ends its wait. */
async function stepped(system: System, steps: number) {
  const begun = await spent(system, async () => {
    const { id } = await sent(
      system,
      { text: String(steps), metadata: { skillId: 'steps' } },
      { returnImmediately: true },
    );
    for (;;) {
      const { status } = (await system.call('GetTask', { id })) as unknown as Task;
      if (status.message !== undefined) return { id, times: JSON.parse(saidIn(status.message)) as readonly number[] };
      await pause(LOOK_MS);
    }
  });
  const { id, times } = begun.value;
  const began = performance.now();
  const task = await sent(system, { text: 'go on', taskId: id });
  const [repeatedMs = 0] = JSON.parse(textOf(task)) as readonly number[];
  return { times, repeatedMs, wakeMs: performance.now() - began, processorMs: begun.ms };
}

/** Answers each question of a task that asks this often. */
async function answered(system: System, questions: number): Promise<readonly number[]> {
  const began: number[] = [];
  const asks = { text: String(questions), metadata: { skillId: 'asks' } };
  let task = await sent(system, asks);
  while (task.status.state === 'TASK_STATE_INPUT_REQUIRED') {
    began.push(monotonicMs());
    task = await sent(system, { text: 'yes', taskId: task.id });
  }
  const times = JSON.parse(textOf(task)) as readonly number[];
  return times.map((at, question) => at - (began[question] ?? NaN));
}

/** The results of some work, repeated one after the other. */
async function repeated<T>(times: number, work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  while (results.length < times) results.push(await work());
  return results;
}

/** A task that has ended. */
function done(system: System, skillId: string, text: string): Promise<Task> {
  return sent(system, { text, metadata: { skillId } });
}

async function sent(
  system: System,
  { text, ...of }: { readonly text: string; readonly metadata?: object; readonly taskId?: string },
  configuration: object = {},
): Promise<Task> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...of };
  const { task } = await system.call('SendMessage', { message, configuration });
  return task as Task;
}

function textOf({ artifacts = [] }: Task): string {
  return artifacts.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : []))).join('');
}

function saidIn({ parts }: Message): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
}
