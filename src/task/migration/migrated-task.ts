import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import { isInterrupted, isTerminal, type TaskState } from '../../protocol/task-state.js';
import { clientAccount, digestOfMessage } from '../new-task.js';
import { wordText } from '../state-word.js';
import { type TaskRest, type TaskTraits, traitsText } from '../task-record.js';
import { digestOfClientTask } from '../task.keys.js';
import type { OldTask } from './old-task.js';

/** Time after which the sweep of schema 2 checked the job of a run. */
const JOB_GRACE_MS = 5_000;
/** The position of runs that go on with what has begun (lua/lib/fair_queue.lua). */
const AHEAD = -1;

/** What is written of a task of schema 2, apart from what moves as it is: events, messages, artifacts. */
export interface MigratedTask {
  readonly state: TaskState;
  readonly traits: TaskTraits;
  /** The fields of the new record but its events and its first message: name, value. */
  readonly fields: readonly string[];
  /** Items of the list of states: those after the first. */
  readonly states: readonly string[];
  /** `<ms>:<id>`, its index entry. */
  readonly entry: string;
  /** The position of its run in the fair queue; undefined where no run waits. */
  readonly position: number | undefined;
  /** When it is due, or is to be removed, ms. */
  readonly due: number;
}

export interface MigrationTimes {
  /** By the clock of Redis. */
  readonly now: number;
  /** Longest wait for a run. */
  readonly stuckTtlMs: number;
  /** How long a finished task can be read. */
  readonly terminalTtlMs: number;
}

/** Works out the record of a task of schema 2 as this code keeps it. */
export function migratedTask(old: OldTask, times: MigrationTimes, limited: ReadonlySet<string>): MigratedTask {
  const state = old.state as TaskState;
  const traits = traitsOfOld(old, limited);
  const passed = passedStates(old.states);
  const waiting = isTerminal(state) || isInterrupted(state) ? undefined : runOf(old, times);
  return {
    ...{ state, traits, entry: `${old.ms}:${old.id}`, position: waiting?.position },
    fields: fieldsOf(old, traits, passed[0]?.ms ?? Number(old.ms)),
    states: passed.slice(1).map(({ state: later, ms }) => `${later} ${String(ms).padStart(13, '0')}`),
    due: waiting?.due ?? old.due ?? times.now + times.terminalTtlMs,
  };
}

function traitsOfOld(old: OldTask, limited: ReadonlySet<string>): TaskTraits {
  const { owner, tenant, client, skill: skillId, limit, external, first } = old;
  const { messageId } = JSON.parse(first) as { readonly messageId: string };
  const digest = external === '' ? digestOfMessage(owner, client, messageId) : digestOfClientTask(owner, external);
  return {
    ...{ tenant, skillId, digest, isLimited: limited.has(skillId) },
    // Contexts of schema 2 have ids of their own: only a set leads from one to its tasks.
    ...{ isNamed: true, client: clientAccount(tenant, client) },
    ...(limit === '' ? {} : { maxAttempts: Number(limit) }),
  };
}

function fieldsOf(old: OldTask, traits: TaskTraits, born: number): readonly string[] {
  const { owner, context, client, subject, modes, external, metadata, ms, message, answers, hooks, cancel } = old;
  const accepted = JSON.parse(modes || '[]') as readonly string[];
  const rest: TaskRest = {
    ...{ born, client, dialect: old.dialect as ProtocolVersion },
    ...(subject === '' ? {} : { subject }),
    ...(accepted.length === 0 ? {} : { modes: accepted }),
    ...(external === '' ? {} : { external }),
  };
  const inbox = inboxOf(old);
  const names = old.artifactNames.length === 0 ? '' : JSON.stringify(old.artifactNames);
  return Object.entries({
    ...{ s: wordOf(old), o: owner, c: context, i: traitsText(traits), j: JSON.stringify(rest), m: metadata },
    ...{ t: `${ms} ${message}`, n: names, q: inbox, y: answers, w: hooks, k: cancel },
    ...{ d: old.worker, tp: old.trace, ts: old.tracestate, span: old.span },
    x: hooks !== '' || cancel !== '' || inbox !== '' ? '1' : '',
  })
    .filter(([name, value]) => value !== '' || name === 't')
    .flat();
}

/** A run that a stopped process has left is lost like any other: the sweep finds it when its lease has ended. */
function wordOf({ state, seq, fence, nonce, turn, attempts, last }: OldTask): string {
  return wordText({
    ...{ state: state as TaskState, seq: Number(seq), fence: Number(fence), nonce },
    ...{ turn: Number(turn), attempt: Number(attempts), last },
  });
}

/** Indexes in the history: of the first message of this turn, and behind the last. */
function inboxOf({ inbox, taken }: OldTask): string {
  const indexes = inbox.split(' ').filter((index) => index !== '');
  const [from] = indexes;
  const upto = indexes.at(-1);
  if (from === undefined || upto === undefined || upto === '0') return '';
  return `${from} ${String(Number(upto) + 1)} ${String(indexes.length - Number(taken))}`;
}

/** Where the run of an open task waits, and until when. */
function runOf(
  { nonce, cancel, lease, place, vacant, due }: OldTask,
  { now, stuckTtlMs }: MigrationTimes,
): { readonly position: number | undefined; readonly due: number } {
  if (nonce !== '') return { position: undefined, due: cancel === '' ? Number(lease) : (due ?? now) };
  if (cancel !== '') return { position: undefined, due: due ?? now };
  const givenUpAt = Number(vacant) + stuckTtlMs;
  if (place !== '') return { position: Number(place), due: givenUpAt };
  // A run that broke begins again after a pause; the sweep puts it into its queue then.
  const beginsAt = (due ?? now) - JOB_GRACE_MS;
  return beginsAt > now ? { position: undefined, due: beginsAt } : { position: AHEAD, due: givenUpAt };
}

interface PassedState {
  readonly state: string;
  readonly ms: number;
}

function passedStates(states: string): readonly PassedState[] {
  const passed = JSON.parse(`[${states}]`) as readonly { readonly state: string; readonly timestamp: string }[];
  return passed.map(({ state, timestamp }) => ({ state, ms: Date.parse(timestamp) }));
}
