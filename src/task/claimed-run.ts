import type { TaskText } from './task-json.js';
import type { TraceCarrier } from '../platform/tracing/trace-carrier.js';
import type { JsonObject } from '../protocol/json.js';
import type { Message } from '../protocol/message.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';
import type { TaskState } from '../protocol/task-state.js';
import { HANDED_TO } from '../protocol/marks.js';
import { answeredBy, type OpenQuestion } from '../protocol/questions.js';
import { openQuestions } from './open-question.js';
import { type TurnRecord, turnRecord } from './journal-entries.js';
import { runBegun } from './run-log.js';
import type { RunCaller } from './run-caller.js';
import { RunLog } from './run-progress.js';
import { type StateWord, stateWord } from './state-word.js';
import { type TaskRest, type TaskTraits, traitsOf, type TransferRecord } from './task-record.js';

/** The right to write to a task: held by one run, lost for ever when another run begins. */
export interface Claim {
  readonly taskId: string;
  readonly contextId: string;
  readonly fence: number;
  readonly nonce: string;
}

/** All that a worker needs of a task to run its turn. */
export interface ClaimedRun extends Claim {
  readonly owner: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject: string;
  readonly skillId: string;
  readonly traits: TaskTraits;
  /** The protocol version of the call that began it. */
  readonly dialect: ProtocolVersion;
  /** Scopes of its caller that some skill asks for. */
  readonly scopes: readonly string[];
  /** The skills and calls from the root of its tree to it. */
  readonly path: string;
  /** The version of its skill that it has begun with. */
  readonly version: number;
  /** Whether it is simulated: no remote or irreversible call follows from it. */
  readonly isSimulated: boolean;
  /** The hand-overs of the conversation from the root to it. */
  readonly transfers?: readonly TransferRecord[] | undefined;
  /** The position that its fair queue served when it began; 0 where it waited in none. */
  readonly position: number;
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
  /** The message that began the task and the latest ones, those of this turn included: all of them up to a bound. */
  readonly history: readonly Message[];
  /** Bytes of all messages of its callers, when the run began. */
  readonly messageBytes: number;
  /** The channel of the process whose caller waits; ''. */
  readonly reply: string;
  /** The texts that the task began with, in the process that stored them. */
  readonly beginning?: Pick<TaskText, 'message' | 'metadata'>;
  /** Who waits for the run in the process that stored its task. */
  readonly caller?: RunCaller | undefined;
  /** When the wait that this run follows ended, ms by Redis' clock; absent for the first run of a turn. */
  readonly wokenAt?: number;
  /** The questions of the task that were open when the run began, and how many of its questions had been answered. */
  readonly asked: { readonly open: readonly OpenQuestion[]; readonly answered: number };
  /** How many hints the task had got of what it mirrors. */
  readonly hints: number;
  /** How the task ends when its finished work is undone, which is what this turn does; absent for a turn of its skill. */
  readonly ending?: TaskEnd;
  /** How many events this turn has published, and how many led to the task: it was begun by an event that a task published. */
  readonly published: number;
  readonly hops: number;
  /** Where this turn has waited before: what its runs have asked and got, and how far they came. */
  readonly repeats?: Repetition;
  /** What the run knows of event log and history. */
  readonly log: RunLog;
}

/** How a task ends, and the message that says why. */
export interface TaskEnd {
  readonly state: TaskState;
  readonly message?: Message;
}

/** A turn that is run again from its start, up to where it waited. */
export interface Repetition {
  readonly record: TurnRecord;
  /** Events that the turn has yielded: they are stored, and not written again. */
  readonly yielded: number;
  /** Messages that came after those of the turn. */
  readonly late: readonly LateMessage[];
}

/** A message that came while its task was worked on, with its index in the history. */
export interface LateMessage {
  readonly index: number;
  readonly message: Message;
}

/** The fields that claim.lua returns. */
export const RUN_FIELDS = [
  ...(['o', 'i', 'j', 'c', 'm', 't', 'n', 'b', 'z', 'r', 'tp', 'ts', 'span', 'u', 'g'] as const),
  ...(['f', 'wk', 'sk', 'ch', 'qs', 'an', 'pb', 'hn', 'un', 'ce'] as const),
] as const;

export type ClaimReply = readonly [
  verdict: string,
  redisMs: number,
  word: string,
  values: readonly (string | null)[],
  indexes: readonly [from: number, upto: number, first: number],
  messages: readonly string[],
  journal: readonly string[],
  position?: string,
];

/** Reads the reply of claim.lua. */
export function claimedRun(
  taskId: string,
  channel: string,
  [, redisMs, wordOf, values, [from, upto, first], said, journal, position]: ClaimReply,
): ClaimedRun {
  const text = (name: (typeof RUN_FIELDS)[number]): string => values[RUN_FIELDS.indexOf(name)] ?? '';
  const word = stateWord(wordOf);
  const traits = traitsOf(text('i'));
  const rest = JSON.parse(text('j')) as TaskRest;
  const all = said.map((message) => JSON.parse(message) as Message);
  // Behind the messages of a turn that is repeated are those that came later.
  const later = first === 0 ? all : all.slice(1);
  const known = later.slice(0, upto - first);
  // The message that has begun the task is there whatever came after it: it has the input and the context.
  const history = first === 0 ? known : [...all.slice(0, 1), ...known];
  const read = new Set(text('sk').split(' '));
  const ofTurn = known.slice(from - first).filter((message, at) => !read.has(String(from + at)) && isOfTurn(message));
  const repeats = repetition(text('f'), word, journal, lateMessages(later.slice(upto - first), upto));
  return {
    ...{ taskId, contextId: text('c'), fence: word.fence, nonce: word.nonce, owner: text('o') },
    ...{ tenant: traits.tenant, client: rest.client, subject: rest.subject ?? '', skillId: traits.skillId, traits },
    ...{ ...inheritedOf(rest, traits), position: Math.max(0, Number(position ?? 0)) },
    ...{ turn: word.turn, attempt: word.attempt, seq: word.seq, isWorking: word.state === 'TASK_STATE_WORKING' },
    begun: runBegun({ turn: word.turn, attempt: word.attempt, born: redisMs }, channel),
    metadata: repeats?.record.head?.metadata ?? (JSON.parse(text('g') || text('m') || '{}') as JsonObject),
    acceptedOutputModes: repeats?.record.head?.modes ?? modesOf(text('u'), rest),
    ...(text('wk') === '' ? {} : { wokenAt: Number(text('wk')) }),
    ...(repeats === undefined ? {} : { repeats }),
    ...(text('ce') === '' ? {} : { ending: endOf(text('ce')) }),
    published: text('pb').startsWith(`${String(word.turn)} `) ? Number(text('pb').split(' ')[1]) : 0,
    hops: rest.hops ?? 0,
    asked: { open: openQuestions(text('qs')), answered: Number(text('an')) },
    hints: Number(text('hn')),
    trace: { traceparent: text('tp'), tracestate: text('ts') },
    runBefore: text('span'),
    messages: ofTurn,
    history,
    messageBytes: Number(text('b')),
    reply: text('r'),
    log: logOf(word, { text, upto, isKept: repeats !== undefined }),
  };
}

/** Where the run is, by the fields of the task. */
function logOf(
  word: StateWord,
  {
    text,
    upto,
    isKept,
  }: {
    readonly text: (name: (typeof RUN_FIELDS)[number]) => string;
    readonly upto: number;
    readonly isKept: boolean;
  },
): RunLog {
  const status = text('t');
  const now = {
    ...{ state: word.state, seq: word.seq, last: word.last, turn: word.turn, attempt: word.attempt },
    ...{ ms: status.slice(0, 13), message: status.slice(14), upto },
    artifacts: text('n') === '' ? [] : (JSON.parse(text('n')) as string[]),
    bytes: Number(text('z')),
    base: isKept ? Number(text('f').split(' ')[1]) : word.seq,
    ...{ isFresh: word.seq === 1 && upto === 1, isOver: false },
  };
  const log = new RunLog(now, text('ch') !== '', isKept);
  log.hasUndo = text('un') !== '';
  return log;
}

/** '<state> <message or nothing>' */
function endOf(text: string): TaskEnd {
  const [state = ''] = text.split(' ', 1);
  const message = text.slice(state.length + 1);
  return { state: state as TaskState, ...(message === '' ? {} : { message: JSON.parse(message) as Message }) };
}

/** What children of a task have of it. */
function inheritedOf(
  { dialect, scopes = [], path, version = 0, transfers, simulated }: TaskRest,
  { skillId }: TaskTraits,
): Pick<ClaimedRun, 'dialect' | 'scopes' | 'path' | 'version' | 'transfers' | 'isSimulated'> {
  return { dialect, scopes, path: path ?? skillId, version, transfers, isSimulated: simulated === true };
}

/** Those of the task's first message, unless a later one brought others. */
function modesOf(later: string, { modes = [] }: TaskRest): readonly string[] {
  return later === '' ? modes : (JSON.parse(later) as string[]);
}

/** What a run has to repeat, where its turn has waited before. */
function repetition(
  stored: string,
  { turn, seq }: StateWord,
  journal: readonly string[],
  late: readonly LateMessage[],
): Repetition | undefined {
  const [ofTurn, base] = stored.split(' ').map(Number);
  if (ofTurn !== turn || base === undefined) return undefined;
  return { record: turnRecord(turn, journal), yielded: Math.max(0, seq - base), late };
}

/** The messages of callers among what was said from an index on. */
export function lateMessages(said: readonly Message[], from: number): readonly LateMessage[] {
  return said.flatMap((message, at) => (isOfTurn(message) ? [{ index: from + at, message }] : []));
}

/** Messages of the agent are between those of callers; answers to questions, and messages for another task, are of no turn. */
function isOfTurn(message: Message): boolean {
  const isHandedOn = message.metadata?.[HANDED_TO] !== undefined;
  return message.role === 'ROLE_USER' && !isHandedOn && answeredBy(message).length === 0;
}
