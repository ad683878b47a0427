import type { CommitPlan } from './commit-plan.js';
import { TASK_STATES } from '@parley/protocol/model/task-state.js';
import { type RunFault, storedFault } from '../record/run-fault.js';
import type { StateWord } from '../record/state-word.js';
import { FIELD } from '../task-fields.js';

/** A run of a task, for operators (lua/lib/queue/runs.lua). */
export interface LoggedRun {
  readonly turn: number;
  /** 1-based attempt number since the turn last made progress. */
  readonly attempt: number;
  /** The id of its process. */
  readonly worker: string;
  /** ISO 8601, by the clock of Redis. */
  readonly begun: string;
  /** Absent for an active run. */
  readonly ended?: string;
  /**
   * The resulting state, `next-turn`, `parked`, or the reason for its loss: `lost`, `broken`, `handed-over`,
   * `canceled`.
   */
  readonly how?: string;
  /** The error that failed it. Content: shown with the right to read tasks. */
  readonly fault?: RunFault;
}

/** Stored runs per task, the latest ones. */
const KEPT_RUNS = 50;

/** The field of a run. */
export function runField(fence: number): string {
  return FIELD.run + String(fence);
}

/** The field of a run's error. */
export function faultField(fence: number): string {
  return FIELD.runError + String(fence);
}

/** The fields of the stored runs, in order, and then those of their errors. */
export function runFields({ fence }: StateWord): readonly string[] {
  const first = Math.max(1, fence - KEPT_RUNS + 1);
  const fences = Array.from({ length: fence - first + 1 }, (_unused, at) => first + at);
  return [...fences.map(runField), ...fences.map(faultField)];
}

/** Reads the values of those fields. */
export function loggedRuns(values: readonly (string | null)[]): readonly LoggedRun[] {
  const count = values.length / 2;
  return values.slice(0, count).flatMap((entry, at) => {
    const fault = storedFault(values[count + at]);
    return entry === null ? [] : [{ ...loggedRun(entry), ...(fault === undefined ? {} : { fault }) }];
  });
}

/** The entry of a run that begins. @param channel channel of its worker */
export function runBegun(
  { turn, attempt, born }: Pick<StateWord, 'turn' | 'attempt'> & { readonly born: number },
  channel: string,
): string {
  return `${String(turn)} ${String(attempt)} ${processOf(channel)} ${String(Math.round(born))}`;
}

/** The id of the process of a channel. */
function processOf(channel: string): string {
  const at = channel.indexOf(PROCESS);
  if (at === -1) return '-';
  const from = at + PROCESS.length;
  const to = channel.indexOf(':', from);
  return channel.slice(from, to === -1 ? undefined : to);
}

const PROCESS = ':process:';

/** The states in the log of runs: `completed`, `input-required` … */
const HOW_ENDED = new Map(
  TASK_STATES.map((state) => [state, state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-')]),
);

/** The entry of a run that ends with a commit. */
export function runEnded(begun: string, { sequel, next }: CommitPlan): string {
  return `${begun} ${next.ms} ${sequel === 'next' ? 'next-turn' : (HOW_ENDED.get(next.state) ?? '')}`;
}

/** The entry of a run that parks its task. @param now ms by Redis' clock */
export function runParked(begun: string, now: number): string {
  return `${begun} ${String(Math.ceil(now))} parked`;
}

function loggedRun(text: string): LoggedRun {
  const [turn, attempt, worker = '-', begun, ended, how] = text.split(' ');
  return {
    ...{ turn: Number(turn), attempt: Number(attempt), worker, begun: new Date(Number(begun)).toISOString() },
    ...(ended === undefined ? {} : { ended: new Date(Number(ended)).toISOString() }),
    ...(how === undefined ? {} : { how }),
  };
}
