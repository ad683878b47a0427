import { isInterrupted, isTerminal, type TaskState, TRANSITIONS } from '@parley/protocol/model/task-state.js';
import type { TaskWrite } from '../../../src/tasks/commit/run.store.js';
import type { EndReason } from '../../../src/tasks/store/sweep.store.js';

/** What the model knows of a commit: statuses and artifacts. */
export type ModelWrite = Extract<TaskWrite, { kind: 'status' | 'artifact' }>;

/** A run that was given the right to write, or pretends that it was. */
export interface ModelHold {
  readonly task: string;
  readonly fence: number;
  readonly nonce: string;
}

interface ModelTask {
  state: TaskState;
  seq: number;
  fence: number;
  /** Nonce of the run that holds the task, '' when nobody does, '~' when it is parked. */
  nonce: string;
  isLeaseOver: boolean;
  /** Whether a finished task has been kept, or a question has waited, for as long as it may. */
  isTimeOver: boolean;
  cancel: 'none' | 'asked' | 'overdue';
  /** The run that parked it, and whether a message ends its wait. */
  parkedBy: string;
  isListening: boolean;
  /** The turn that has waited: its messages stay as they are. */
  repeated: number;
  attempts: number;
  /** Lost runs of the turn since there was progress. */
  losses: number;
  turn: number;
  inbox: string[];
  taken: number;
  /** Whether the journal of this turn has its step. */
  noted: boolean;
  said: number;
  hasStatusMessage: boolean;
  artifacts: Map<string, string[]>;
  readonly marks: Map<string, string>;
  /** The writer of each event, the first at 1. */
  readonly writers: string[];
}

type Evaluation =
  | { readonly kind: 'later' }
  | { readonly kind: 'again'; readonly fence: number; readonly isLate: boolean }
  | { readonly kind: 'end'; readonly why: EndReason; readonly fence: number };

const PARKED = '~';

/**
 * What the scripts promise, written down again without Redis, atomic by being single threaded. Time is not a number here:
 * a lease or a grace is over when somebody says so. Answers are shaped like those of the stores.
 */
export class TaskModel {
  private readonly tasks = new Map<string, ModelTask>();

  constructor(private readonly maxAttempts: number) {}

  /** The names of all tasks that exist. */
  get names(): readonly string[] {
    return [...this.tasks.keys()];
  }

  /** What a look at the stored task must show. */
  facts(name: string): Readonly<Record<string, unknown>> {
    const { state, seq, fence, attempts, turn, said, artifacts } = this.must(name);
    return { state, seq, fence, attempts, turn, said, artifacts: Object.fromEntries(artifacts) };
  }

  isOpen(name: string): boolean {
    const { state } = this.must(name);
    return !isTerminal(state) && !isInterrupted(state);
  }

  isHeld(name: string): boolean {
    const { nonce } = this.must(name);
    return nonce !== '' && nonce !== PARKED;
  }

  /** Whether it runs or is to run: then nothing waits for its time to be over. */
  isBusy(name: string): boolean {
    return isBusy(this.must(name).state);
  }

  isCancelAsked(name: string): boolean {
    return this.must(name).cancel !== 'none';
  }

  /** How many messages a run is given that begins now. */
  waitingMessages(name: string): number {
    const { inbox, taken, turn, repeated } = this.must(name);
    return turn === repeated ? taken : inbox.length;
  }

  fenceOf(name: string): number {
    return this.must(name).fence;
  }

  create(name: string): void {
    const nothing = {
      nonce: '',
      isLeaseOver: false,
      isTimeOver: false,
      attempts: 0,
      losses: 0,
      taken: 0,
      noted: false,
      hasStatusMessage: false,
      ...{ parkedBy: '', isListening: false, repeated: 0 },
    };
    const state = 'TASK_STATE_SUBMITTED';
    this.tasks.set(name, {
      ...nothing,
      ...{ state, seq: 1, fence: 1, cancel: 'none', turn: 1, said: 1 },
      ...{ inbox: [name], artifacts: new Map(), marks: new Map(), writers: ['', ''] },
    });
  }

  claim(name: string, fence: number, nonce: string): 'gone' | 'terminal' | 'stale' | 'claimed' {
    const task = this.tasks.get(name);
    if (task === undefined) return 'gone';
    if (isTerminal(task.state)) return 'terminal';
    if (task.fence !== fence || task.nonce !== '' || isInterrupted(task.state) || task.cancel !== 'none')
      return 'stale';
    const taken = task.turn === task.repeated ? task.taken : task.inbox.length;
    Object.assign(task, { nonce, isLeaseOver: false, taken, attempts: task.attempts + 1 });
    if (task.attempts === 1) task.losses = 0;
    return 'claimed';
  }

  commit(hold: ModelHold, after: number, writes: readonly ModelWrite[]): Readonly<Record<string, unknown>> {
    const task = this.tasks.get(hold.task);
    const last = after + writes.length;
    // Sent again: the events are there.
    if (task !== undefined && task.seq > after && task.writers[last] === hold.nonce)
      return { kind: 'committed', seq: last };
    if (!holds(task, hold) || task.seq !== after) return { kind: 'lost' };
    if (task.cancel !== 'none') return { kind: 'cancel' };
    if (!fits(task, writes)) return { kind: 'refused' };
    task.isLeaseOver = false;
    for (let seq = after; seq < last; seq += 1) task.writers[seq + 1] = hold.nonce;
    task.writers.length = last + 1;
    for (const write of writes) {
      if (write.kind === 'artifact') this.put(task, write);
      else if (endsTurn(write.state) && this.givesWay(task, write)) {
        return { kind: 'next-turn', fence: vacate(task) };
      } else {
        this.enter(task, write.state, write.message !== undefined);
        if (isInterrupted(write.state)) vacate(task);
      }
    }
    return { kind: 'committed', seq: task.seq };
  }

  heartbeat(hold: ModelHold): 'ok' | 'cancel' | 'lost' {
    const task = this.tasks.get(hold.task);
    if (!holds(task, hold)) return 'lost';
    task.isLeaseOver = false;
    return task.cancel === 'none' ? 'ok' : 'cancel';
  }

  /** Whether a run may write into its journal of steps. */
  note(hold: ModelHold): boolean {
    const task = this.tasks.get(hold.task);
    if (!holds(task, hold)) return false;
    // A new entry of the journal is progress: lost runs are counted anew.
    if (!task.noted) Object.assign(task, { noted: true, attempts: 0 });
    return true;
  }

  isParked(name: string): boolean {
    return this.must(name).nonce === PARKED;
  }

  /** @param park `isProgress`: the run has added to the journal */
  park(
    hold: ModelHold,
    after: number,
    park: { readonly writes: readonly ModelWrite[]; readonly isListening: boolean; readonly isProgress: boolean },
  ): 'parked' | 'again' | 'cancel' | 'lost' {
    const task = this.tasks.get(hold.task);
    const last = after + park.writes.length;
    const isAgain = task?.nonce === PARKED && task.parkedBy === hold.nonce && task.fence === hold.fence + 1;
    if (isAgain && task.seq === last) return 'parked';
    if (!holds(task, hold) || task.seq !== after) return 'lost';
    if (task.cancel !== 'none') return 'cancel';
    if (park.isListening && task.inbox.length > task.taken) return 'again';
    for (const write of park.writes) {
      task.writers[task.seq + 1] = hold.nonce;
      if (write.kind === 'status') this.enter(task, write.state, write.message !== undefined);
    }
    vacate(task);
    const { isListening, isProgress } = park;
    Object.assign(task, { nonce: PARKED, parkedBy: hold.nonce, isListening, isTimeOver: false, repeated: task.turn });
    if (isProgress) task.attempts = 0;
    return 'parked';
  }

  /** Ends the waits that are over; returns how many. */
  wake(): number {
    const woken = [...this.tasks.values()].filter(({ nonce, isTimeOver }) => nonce === PARKED && isTimeOver);
    for (const task of woken) vacate(task);
    return woken.length;
  }

  release(hold: ModelHold, how: 'handed-over' | 'broken', isDelayed = false): number | undefined {
    const task = this.tasks.get(hold.task);
    if (!holds(task, hold)) return undefined;
    if (how === 'handed-over') task.attempts = Math.max(0, task.attempts - 1);
    const fence = vacate(task);
    // What is to be canceled is not put off.
    if (isDelayed && task.cancel === 'none')
      Object.assign(task, { nonce: PARKED, parkedBy: '', isListening: false, isTimeOver: false });
    return fence;
  }

  cancel(name: string, isOwner: boolean): Readonly<Record<string, unknown>> {
    const task = this.tasks.get(name);
    if (task === undefined || !isOwner) return { kind: 'not-found' };
    if (isTerminal(task.state)) return { kind: 'terminal', state: task.state };
    if (task.nonce !== '' && task.nonce !== PARKED && !task.isLeaseOver && task.cancel !== 'overdue') {
      if (task.cancel === 'none') task.cancel = 'asked';
      return { kind: 'requested', seq: task.seq };
    }
    this.enter(task, 'TASK_STATE_CANCELED', false);
    return { kind: 'canceled', seq: task.seq };
  }

  resume(name: string, messageId: string, body: string): Readonly<Record<string, unknown>> {
    const task = this.tasks.get(name);
    if (task === undefined) return { kind: 'not-found' };
    const taken = task.marks.get(messageId);
    if (taken !== undefined) return taken === body ? { kind: 'sent', seq: task.seq } : { kind: 'conflict' };
    if (isTerminal(task.state)) return { kind: 'terminal', state: task.state };
    const waits = isInterrupted(task.state);
    task.marks.set(messageId, body);
    if (!waits) {
      task.said += 1;
      task.inbox.push(messageId);
      if (task.nonce === PARKED && task.isListening) {
        vacate(task);
        return { kind: 'woken', seq: task.seq };
      }
      return { kind: 'queued', seq: task.seq };
    }
    Object.assign(task, { turn: task.turn + 1, attempts: 0, noted: false, inbox: [messageId] });
    this.enter(task, 'TASK_STATE_WORKING', false);
    task.said += 1;
    return { kind: 'resumed', seq: task.seq, fence: vacate(task) };
  }

  evaluate(name: string): Evaluation {
    const task = this.tasks.get(name);
    if (task === undefined) return { kind: 'later' };
    const { fence, attempts, cancel, nonce } = task;
    if (!isBusy(task.state) && !task.isTimeOver) return { kind: 'later' };
    if (isTerminal(task.state) || nonce === PARKED) return { kind: 'later' };
    if (isInterrupted(task.state)) return { kind: 'end', why: 'UNANSWERED', fence };
    if (cancel === 'overdue') return { kind: 'end', why: 'CANCEL_OVERDUE', fence };
    if (nonce !== '' && !task.isLeaseOver) return { kind: 'later' };
    if (cancel === 'asked') return { kind: 'end', why: 'CANCEL_OVERDUE', fence };
    if (nonce === '') return { kind: 'later' };
    const losses = attempts > 0 ? task.losses + 1 : 0;
    if (losses >= this.maxAttempts) return { kind: 'end', why: 'ATTEMPTS_SPENT', fence };
    task.losses = losses;
    return { kind: 'again', fence: vacate(task), isLate: false };
  }

  settle(name: string, fence: number, state: TaskState): boolean {
    const task = this.tasks.get(name);
    if (task?.fence !== fence || isTerminal(task.state)) return false;
    this.enter(task, state, false);
    return true;
  }

  purge(name: string): boolean {
    const task = this.tasks.get(name);
    if (task !== undefined && !isTerminal(task.state)) return false;
    this.tasks.delete(name);
    return true;
  }

  expireLease(name: string): void {
    this.must(name).isLeaseOver = true;
  }

  expireTime(name: string): void {
    this.must(name).isTimeOver = true;
  }

  expireGrace(name: string): void {
    this.must(name).cancel = 'overdue';
  }

  private must(name: string): ModelTask {
    const task = this.tasks.get(name);
    if (task === undefined) throw new Error(`the model has no task ${name}`);
    return task;
  }

  private enter(task: ModelTask, state: TaskState, hasMessage: boolean): void {
    if (task.hasStatusMessage) task.said += 1;
    Object.assign(task, { state, hasStatusMessage: hasMessage, seq: task.seq + 1, isTimeOver: false });
    task.writers[task.seq] ??= 'the service';
    if (isTerminal(state)) Object.assign(task, { nonce: '', fence: task.fence + 1, cancel: 'none', inbox: [] });
  }

  private put(task: ModelTask, write: Extract<TaskWrite, { kind: 'artifact' }>): void {
    const before = write.append ? (task.artifacts.get(write.artifactId) ?? []) : [];
    task.artifacts.set(write.artifactId, [...before, JSON.stringify(write.parts)]);
    task.seq += 1;
  }

  private givesWay(task: ModelTask, write: Extract<TaskWrite, { kind: 'status' }>): boolean {
    task.inbox.splice(0, task.taken);
    task.taken = 0;
    // A question is no answer to what came before it, and what came before it is no answer to the question.
    if (isInterrupted(write.state)) task.inbox = [];
    if (write.state !== 'TASK_STATE_COMPLETED' || task.inbox.length === 0) return false;
    this.enter(task, 'TASK_STATE_WORKING', write.message !== undefined);
    Object.assign(task, { turn: task.turn + 1, attempts: 0, noted: false });
    return true;
  }
}

function holds(task: ModelTask | undefined, hold: ModelHold): task is ModelTask {
  return task?.fence === hold.fence && task.nonce === hold.nonce && task.nonce !== '' && !isTerminal(task.state);
}

function endsTurn(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}

function fits(task: ModelTask, writes: readonly ModelWrite[]): boolean {
  const names = new Set(task.artifacts.keys());
  let { state } = task;
  for (const [at, write] of writes.entries()) {
    if (write.kind === 'artifact') {
      if (write.append && !names.has(write.artifactId)) return false;
      names.add(write.artifactId);
    } else {
      if (!TRANSITIONS[state].includes(write.state)) return false;
      state = write.state;
      if (endsTurn(state) && at < writes.length - 1) return false;
    }
  }
  return true;
}

function vacate(task: ModelTask): number {
  Object.assign(task, { nonce: '', fence: task.fence + 1 });
  return task.fence;
}

function isBusy(state: TaskState): boolean {
  return !isTerminal(state) && !isInterrupted(state);
}
