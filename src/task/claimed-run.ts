import type { TaskText } from './task-json.js';
import type { TraceCarrier } from '../platform/tracing/trace-carrier.js';
import type { JsonObject } from '../protocol/json.js';
import type { Message } from '../protocol/message.js';
import { runBegun } from './run-log.js';
import { RunLog } from './run-position.js';
import { stateWord } from './state-word.js';
import { type TaskRest, type TaskTraits, traitsOf } from './task-record.js';

/** The right to write to a task: held by one run, lost for ever when another run begins. */
export interface Hold {
  readonly taskId: string;
  readonly contextId: string;
  readonly fence: number;
  readonly nonce: string;
}

/** All that a worker needs of a task to run its turn. */
export interface ClaimedRun extends Hold {
  readonly owner: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject: string;
  readonly skillId: string;
  readonly traits: TaskTraits;
  readonly turn: number;
  readonly attempt: number;
  /** Whether the task is WORKING already; else the first event of the run says so. */
  readonly isWorking: boolean;
  /** The number of the task's latest event when the run began. */
  readonly seq: number;
  readonly metadata: JsonObject;
  readonly acceptedOutputModes: readonly string[];
  /** Its entry in the log of runs. */
  readonly begun: string;
  /** Where this turn continues its caller's trace. */
  readonly trace: TraceCarrier;
  /** The W3C traceparent of the run before this one, where that was recorded; else ''. */
  readonly runBefore: string;
  /** The messages that began this turn. */
  readonly messages: readonly Message[];
  /** The latest messages of the task, those of this turn included: all of them up to a bound. */
  readonly history: readonly Message[];
  /** Bytes of all messages of its callers, when the run began. */
  readonly messageBytes: number;
  /** The channel of the process whose caller waits; ''. */
  readonly reply: string;
  /** The texts that the task began with, in the process that stored them. */
  readonly beginning?: Pick<TaskText, 'message' | 'metadata'>;
  /** The position of the run in event log and history. */
  readonly log: RunLog;
}

/** The fields that claim.lua returns. */
export const RUN_FIELDS = ['o', 'i', 'j', 'c', 'm', 't', 'n', 'b', 'z', 'r', 'tp', 'ts', 'span', 'u', 'g'] as const;

export type ClaimReply = readonly [
  verdict: string,
  redisMs: number,
  word: string,
  values: readonly (string | null)[],
  places: readonly [from: number, upto: number, first: number],
  messages: readonly string[],
];

/** Reads the reply of claim.lua. */
export function claimedRun(
  taskId: string,
  channel: string,
  [, redisMs, wordOf, values, [from, upto, first], said]: ClaimReply,
): ClaimedRun {
  const text = (name: (typeof RUN_FIELDS)[number]): string => values[RUN_FIELDS.indexOf(name)] ?? '';
  const word = stateWord(wordOf);
  const traits = traitsOf(text('i'));
  const rest = JSON.parse(text('j')) as TaskRest;
  const history = said.map((message) => JSON.parse(message) as Message);
  const ofTurn = history.slice(Math.max(0, from - first));
  const status = text('t');
  return {
    ...{ taskId, contextId: text('c'), fence: word.fence, nonce: word.nonce, owner: text('o') },
    ...{ tenant: traits.tenant, client: rest.client, subject: rest.subject ?? '', skillId: traits.skillId, traits },
    ...{ turn: word.turn, attempt: word.attempt, seq: word.seq, isWorking: word.state === 'TASK_STATE_WORKING' },
    begun: runBegun({ word, born: redisMs }, channel),
    metadata: JSON.parse(text('g') || text('m') || '{}') as JsonObject,
    // Those of the task's first message, unless a later one brought others.
    acceptedOutputModes: text('u') === '' ? (rest.modes ?? []) : (JSON.parse(text('u')) as string[]),
    trace: { traceparent: text('tp'), tracestate: text('ts') },
    runBefore: text('span'),
    // Messages of the agent are between them.
    messages: ofTurn.filter(({ role }) => role === 'ROLE_USER'),
    history,
    messageBytes: Number(text('b')),
    reply: text('r'),
    log: new RunLog({
      ...{ state: word.state, seq: word.seq, last: word.last, turn: word.turn, attempt: word.attempt },
      ...{ ms: status.slice(0, 13), message: status.slice(14), upto },
      artifacts: text('n') === '' ? [] : (JSON.parse(text('n')) as string[]),
      bytes: Number(text('z')),
      ...{ isFresh: word.seq === 1 && upto === 1, isOver: false },
    }),
  };
}
