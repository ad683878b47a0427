import type { Kill } from '../fleet/fleet.js';
import type { Order } from '../load/caller.js';
import { type History, isTerminalState } from '../load/history.js';
import { readingFaults } from './reading-check.js';
import type { StoredTask } from './stored-tasks.js';

/** Beginning of a run, by its first event. */
export interface Beginning {
  readonly turn: number;
  readonly attempt: number;
  readonly pid: number;
  readonly at: number;
}

export interface Findings {
  readonly tasks: number;
  readonly completed: number;
  readonly canceled: number;
  readonly failed: number;
  /** Accepted tasks that have not ended, or do not exist. */
  readonly lost: number;
  /** Second tasks of one message, and tasks without a message. */
  readonly orphans: number;
  readonly doubleTerminal: number;
  readonly afterTerminal: number;
  readonly gaps: number;
  /** Results that differ from the plan. */
  readonly wrongResults: number;
  /** Tasks whose cancel was confirmed to a caller, and that are not CANCELED. */
  readonly uncanceled: number;
  /** Messages to a task that were confirmed to a caller, and that are not in the task. */
  readonly unheeded: number;
  /** Readers that did not get each event once, in order. */
  readonly misread: number;
  /** Events that their webhook never received. */
  readonly unnoticed: number;
  readonly reruns: number;
  /** The first fault of each kind, as text. */
  readonly faults: readonly string[];
}

/** Compares the records of callers, readers and receivers with the stored data. Implements the guarantees, and shares no code with the service. */
export function check(history: History, stored: readonly StoredTask[]): Findings {
  const tally = new Tally();
  const taskOf = new Map<string, string>();
  const orders = new Map(history.orders.map((order) => [order.messageId, order]));
  for (const task of stored) {
    checkEvents(task, tally);
    const messageId = task.history[0]?.messageId ?? '';
    const order = orders.get(messageId);
    if (order === undefined) tally.add('orphans', `${task.id} belongs to no message that was sent`);
    else checkResult(task, order, tally);
    if (taskOf.has(messageId)) tally.add('orphans', `${task.id}: a second task of ${messageId}`);
    taskOf.set(messageId, task.id);
  }
  const byId = new Map(stored.map((task) => [task.id, task]));
  checkAnswers(history, byId, tally);
  for (const reading of history.readings) {
    const [fault] = readingFaults(reading, byId.get(reading.taskId ?? ''));
    if (fault !== undefined) tally.add('misread', fault);
  }
  checkNotices(history, stored, tally);
  const inState = (state: string): number => stored.filter(({ fields }) => fields.state === state).length;
  return {
    ...{ tasks: stored.length, completed: inState('TASK_STATE_COMPLETED'), canceled: inState('TASK_STATE_CANCELED') },
    ...{ failed: inState('TASK_STATE_FAILED'), ...tally.count },
    reruns: stored.reduce((sum, task) => sum + rerunsOf(task), 0),
    faults: tally.faults,
  };
}

class Tally {
  readonly count = {
    lost: 0,
    orphans: 0,
    doubleTerminal: 0,
    afterTerminal: 0,
    gaps: 0,
    wrongResults: 0,
    uncanceled: 0,
    unheeded: 0,
    misread: 0,
    unnoticed: 0,
  };
  readonly faults: string[] = [];

  add(kind: keyof Tally['count'], text: string): void {
    this.count[kind] += 1;
    if (this.count[kind] === 1) this.faults.push(text);
  }
}

function checkEvents(task: StoredTask, tally: Tally): void {
  for (const text of numberingFaults(task)) tally.add('gaps', `${task.id}: ${text}`);
  const ends = task.events.filter(({ event }) => isTerminalState(stateOf(event)));
  if (ends.length > 1) tally.add('doubleTerminal', `${task.id}: ${ends.length} terminal events`);
  if (ends.length === 0) tally.add('lost', `${task.id} is ${task.fields.state ?? 'without a state'} for ever`);
  else if (task.events.at(-1) !== ends[0]) tally.add('afterTerminal', `${task.id}: an event after the end`);
}

function checkResult(task: StoredTask, order: Order, tally: Tally): void {
  if (task.fields.state !== 'TASK_STATE_COMPLETED' || isAsOrdered(task, order)) return;
  tally.add('wrongResults', `${task.id}: the result is not ${order.plan.steps} steps: ${outOf(task)}`);
}

function checkAnswers(history: History, byId: ReadonlyMap<string, StoredTask>, tally: Tally): void {
  for (const [messageId, ids] of history.accepted) {
    if (ids.size > 1) tally.add('orphans', `${messageId} was answered with ${ids.size} tasks`);
    for (const id of ids) if (!byId.has(id)) tally.add('lost', `${id} was accepted and is not there`);
  }
  for (const id of history.canceled) {
    const state = byId.get(id)?.fields.state ?? 'gone';
    if (state !== 'TASK_STATE_CANCELED') tally.add('uncanceled', `${id} was canceled and is ${state}`);
  }
  for (const [id, answers] of history.answered) {
    const known = new Set(byId.get(id)?.history.map(({ messageId }) => messageId));
    for (const answer of answers) if (!known.has(answer)) tally.add('unheeded', `${id} does not have ${answer}`);
  }
}

/** At least once, every event of a task that has a webhook. */
function checkNotices(history: History, stored: readonly StoredTask[], tally: Tally): void {
  const noticed = new Set(history.notices.map(({ taskId, seq }) => `${taskId} ${seq}`));
  const hooked = new Set(history.orders.flatMap(({ messageId, hook }) => (hook === undefined ? [] : [messageId])));
  for (const { id, events } of stored.filter((task) => hooked.has(task.history[0]?.messageId ?? ''))) {
    for (const { seq } of events) {
      if (!noticed.has(`${id} ${seq}`)) tally.add('unnoticed', `${id}: event ${seq} never came to its webhook`);
    }
  }
}

export function beginningsOf(task: StoredTask): readonly Beginning[] {
  return task.events.flatMap(({ event }) => {
    const metadata = 'statusUpdate' in event ? event.statusUpdate.metadata : undefined;
    return metadata?.pid === undefined ? [] : [metadata as unknown as Beginning];
  });
}

/** Runs that continue a turn which another one began. Progress and losses of a process that lives spend no attempt. */
function rerunsOf(task: StoredTask): number {
  const beginnings = beginningsOf(task);
  return beginnings.filter(({ turn }, at) => beginnings[at - 1]?.turn === turn).length;
}

/** From each kill to the next begin of a run that it has cut off, in ms. */
export function recoveryTimes(stored: readonly StoredTask[], kills: readonly Kill[]): readonly number[] {
  const killed = new Map(kills.map(({ pid, at }) => [pid, at]));
  return stored.flatMap((task) => {
    const beginnings = beginningsOf(task);
    return beginnings.flatMap((beginning, at) => {
      const next = beginnings[at + 1];
      const died = killed.get(beginning.pid);
      return next?.turn !== beginning.turn || died === undefined ? [] : [next.at - died];
    });
  });
}

function numberingFaults({ fields, events }: StoredTask): readonly string[] {
  const wrong = events.findIndex(({ seq }, at) => seq !== at + 1);
  if (wrong !== -1) return [`event ${events[wrong]?.seq ?? 0} is the ${wrong + 1}th`];
  return Number(fields.seq) === events.length ? [] : [`${events.length} events, but seq is ${fields.seq ?? '?'}`];
}

/** The chunks of the newest run, which alone count. */
function outOf(task: StoredTask): string {
  let out = '';
  for (const { event } of task.events) {
    if (!('artifactUpdate' in event)) continue;
    const text = event.artifactUpdate.artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
    out = event.artifactUpdate.append === true ? out + text : text;
  }
  return out;
}

function isAsOrdered(task: StoredTask, { plan }: Order): boolean {
  const expected = Array.from({ length: plan.steps }, (_unused, step) => `${step};`).join('');
  return outOf(task) === expected;
}

function stateOf(event: StoredTask['events'][number]['event']): string | undefined {
  if ('task' in event) return event.task.status.state;
  return 'statusUpdate' in event ? event.statusUpdate.status.state : undefined;
}
