import { signal } from '@preact/signals';
import { clockAheadMs } from '../api/feed/feed.js';
import type { TaskState } from '../api/types.js';

/** The time of this machine, for ages; moved on once a second. */
export const now = signal(Date.now());

/** Lets ages grow while the tab is shown. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
}

/** Whether times are shown as ages or as they are. */
export const timeMode = signal<'age' | 'exact'>('age');

export type Tone = 'submitted' | 'working' | 'input' | 'auth' | 'completed' | 'failed' | 'canceled' | 'rejected';

/** A state in words and colour. */
export interface StateLook {
  readonly word: string;
  readonly tone: Tone;
  readonly isOver: boolean;
}

const LOOKS: Readonly<Record<TaskState, StateLook>> = {
  TASK_STATE_SUBMITTED: { word: 'Waiting', tone: 'submitted', isOver: false },
  TASK_STATE_WORKING: { word: 'Working', tone: 'working', isOver: false },
  TASK_STATE_INPUT_REQUIRED: { word: 'Needs input', tone: 'input', isOver: false },
  TASK_STATE_AUTH_REQUIRED: { word: 'Needs log-in', tone: 'auth', isOver: false },
  TASK_STATE_COMPLETED: { word: 'Completed', tone: 'completed', isOver: true },
  TASK_STATE_FAILED: { word: 'Failed', tone: 'failed', isOver: true },
  TASK_STATE_CANCELED: { word: 'Canceled', tone: 'canceled', isOver: true },
  TASK_STATE_REJECTED: { word: 'Rejected', tone: 'rejected', isOver: true },
};

export function lookOf(state: TaskState): StateLook {
  return LOOKS[state];
}

/** The beginning of an id: enough to distinguish two on a screen. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** A duration as people read it: `340 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${String(Math.max(0, Math.round(ms)))} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${String(seconds)} s`;
  const [minutes, restSeconds] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes < 60) return pair(minutes, 'min', restSeconds, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return pair(hours, 'h', minutes % 60, 'min');
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${String(large)} ${unit}` : `${String(large)} ${unit} ${String(small)} ${smallUnit}`;
}

/** How long ago, in one unit, by the clock of the service: `just now`, `34 s ago`, `5 min ago`. */
export function ageText(time: string): string {
  const ms = now.value - clockAheadMs.value - Date.parse(time);
  if (ms < -1_500) return `in ${oneUnit(-ms)}`;
  return ms < 3_000 ? 'just now' : `${oneUnit(ms)} ago`;
}

function oneUnit(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 90) return `${String(Math.round(seconds))} s`;
  if (seconds < 5_400) return `${String(Math.round(seconds / 60))} min`;
  if (seconds < 129_600) return `${String(Math.round(seconds / 3_600))} h`;
  return `${String(Math.round(seconds / 86_400))} d`;
}

const DAY_TIME = new Intl.DateTimeFormat(undefined, {
  ...({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const),
  hourCycle: 'h23',
});
const DAY_TIME_MS = new Intl.DateTimeFormat(undefined, {
  ...({ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const),
  ...({ second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' } as const),
});

export function exactText(time: string): string {
  return DAY_TIME.format(new Date(time));
}

/** Local time with milliseconds, and UTC behind it. */
export function fullTimeText(time: string): string {
  return `${DAY_TIME_MS.format(new Date(time))} (${time})`;
}

const NUMBER = new Intl.NumberFormat();

export function numberText(count: number): string {
  return NUMBER.format(count);
}

export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${String(bytes)} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes / 1_024;
  let unit = 0;
  while (size >= 1_024 && unit < units.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : String(Math.round(size))} ${units[unit] ?? ''}`;
}

export function counted(count: number, noun: string): string {
  const ending = noun.endsWith('s') ? 'es' : 's';
  return `${numberText(count)} ${noun}${count === 1 ? '' : ending}`;
}
