import type { CallTrace } from '../../platform/tracing/trace-carrier.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { HANDED_TO } from '@parley/protocol/extension/marks.js';
import { answeredBy, type OpenQuestion } from '@parley/protocol/extension/questions.js';
import { openQuestions } from '../record/open-question.js';
import { type TurnRecord, turnRecord } from '../record/journal-entries.js';
import { runBegun } from './run-log.js';
import { RunLog } from './run-progress.js';
import { type StateWord, stateWord } from '../record/state-word.js';
import { type TaskRest, type TaskTraits, traitsOf, type TransferRecord } from '../record/task-record.js';
import { FIELD } from '../task-fields.js';

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
  /** Earlier runs of the turn that were lost with their process: no failures of the skill. */
  readonly losses?: number | undefined;
  /** Of a suspect, the last attempt after lost runs: how long the run before it lived, ms (lua/store/evaluate.lua). */
  readonly suspectMs?: number | undefined;
  /** Whether the task is WORKING already; else the first event of the run says so. */
  readonly isWorking: boolean;
  /** The number of the task's latest event when the run began. */
  readonly seq: number;
  readonly metadata: JsonObject;
  readonly acceptedOutputModes: readonly string[];
  /** Its entry in the log of runs. */
  readonly begun: string;
  /** Where this turn continues its caller's trace. */
  readonly trace: CallTrace;
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
  /** When the wait that this run follows ended, ms by Redis' clock; absent for the first run of a turn. */
  readonly wokenAt?: number | undefined;
  /** The questions of the task that were open when the run began, and how many of its questions had been answered. */
  readonly asked: { readonly open: readonly OpenQuestion[]; readonly answered: number };
  /** How many hints the task had got of what it mirrors. */
  readonly hints: number;
  /** How the task ends when its finished work is undone, which is what this turn does; absent for a turn of its skill. */
  readonly ending?: TaskEnd | undefined;
  /** How many events this turn has published, and how many led to the task: it was begun by an event that a task published. */
  readonly published: number;
  readonly hops: number;
  /** Where this turn has waited before: what its runs have asked and got, and how far they came. */
  readonly repeats?: Repetition | undefined;
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
  ...([FIELD.owner, FIELD.traits, FIELD.rest, FIELD.context, FIELD.metadata, FIELD.status] as const),
  ...([FIELD.artifactNames, FIELD.messageBytes, FIELD.resultBytes, FIELD.reply, FIELD.traceparent] as const),
  ...([
    FIELD.tracestate,
    FIELD.names,
    FIELD.span,
    FIELD.laterModes,
    FIELD.laterMetadata,
    FIELD.replay,
    FIELD.woken,
  ] as const),
  ...([FIELD.readAhead, FIELD.hasChildren, FIELD.questions, FIELD.answered, FIELD.published] as const),
  ...([FIELD.hints, FIELD.hasUndo, FIELD.ending, FIELD.losses, FIELD.suspect] as const),
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

type RunField = (typeof RUN_FIELDS)[number];

/** Where claim.lua returns each field. */
const PLACES = Object.fromEntries(RUN_FIELDS.map((name, at) => [name, at])) as Readonly<Record<RunField, number>>;

/**
 * Reads the reply of claim.lua. Members one by one, in one literal: V8 merges literals slowly and gives each result a form of
 * its own, which cost 72 µs a run in place of 6, or 55 with one spread.
 */
// eslint-disable-next-line max-lines-per-function -- parts of the literal in functions of their own are such a merge
export function claimedRun(
  taskId: string,
  channel: string,
  [, redisMs, wordOf, values, [from, upto, first], said, journal, position]: ClaimReply,
): ClaimedRun {
  const text = (name: RunField): string => values[PLACES[name]] ?? '';
  const word = stateWord(wordOf);
  const traits = traitsOf(text(FIELD.traits));
  const rest = JSON.parse(text(FIELD.rest)) as TaskRest;
  const all = said.map((message) => JSON.parse(message) as Message);
  // Behind the messages of a turn that is repeated are those that came later.
  const later = first === 0 ? all : all.slice(1);
  const known = later.slice(0, upto - first);
  // The message that has begun the task is there whatever came after it: it has the input and the context.
  const history = first === 0 ? known : [...all.slice(0, 1), ...known];
  const repeats = repetition(text(FIELD.replay), word, journal, () => lateMessages(later.slice(upto - first), upto));
  const [wokenAt, ending, published] = [text(FIELD.woken), text(FIELD.ending), text(FIELD.published)];
  return {
    taskId,
    contextId: text(FIELD.context),
    fence: word.fence,
    nonce: word.nonce,
    owner: text(FIELD.owner),
    tenant: traits.tenant,
    client: rest.client,
    subject: rest.subject ?? '',
    skillId: traits.skillId,
    traits,
    dialect: rest.dialect,
    scopes: rest.scopes ?? [],
    path: rest.path ?? traits.skillId,
    version: rest.version ?? 0,
    isSimulated: rest.simulated === true,
    transfers: rest.transfers,
    position: Math.max(0, Number(position ?? 0)),
    turn: word.turn,
    attempt: word.attempt,
    losses: Number(text(FIELD.losses)),
    suspectMs: suspectMs(text(FIELD.suspect), word),
    isWorking: word.state === 'TASK_STATE_WORKING',
    seq: word.seq,
    metadata:
      repeats?.record.head?.metadata ??
      (JSON.parse(text(FIELD.laterMetadata) || text(FIELD.metadata) || '{}') as JsonObject),
    acceptedOutputModes: repeats?.record.head?.modes ?? modesOf(text(FIELD.laterModes), rest),
    begun: runBegun({ turn: word.turn, attempt: word.attempt, born: redisMs }, channel),
    trace: { traceparent: text(FIELD.traceparent), tracestate: text(FIELD.tracestate), names: text(FIELD.names) },
    runBefore: text(FIELD.span),
    messages: messagesOfTurn(known.slice(from - first), from, text(FIELD.readAhead)),
    history,
    messageBytes: Number(text(FIELD.messageBytes)),
    reply: text(FIELD.reply),
    wokenAt: wokenAt === '' ? undefined : Number(wokenAt),
    asked: { open: openQuestions(text(FIELD.questions)), answered: Number(text(FIELD.answered)) },
    hints: Number(text(FIELD.hints)),
    ending: ending === '' ? undefined : endOf(ending),
    published: published.startsWith(`${String(word.turn)} `) ? Number(published.split(' ')[1]) : 0,
    hops: rest.hops ?? 0,
    repeats,
    log: logOf(word, { text, upto, isKept: repeats !== undefined }),
  };
}

/** '<fence> <ms>' */
function suspectMs(stored: string, { fence }: StateWord): number | undefined {
  return stored.startsWith(`${String(fence)} `) ? Number(stored.split(' ')[1]) : undefined;
}

/** The messages that began a turn, without those that one before it has read. @param read their indexes, with spaces between */
function messagesOfTurn(said: readonly Message[], from: number, read: string): readonly Message[] {
  if (read === '') return said.filter(isOfTurn);
  const before = new Set(read.split(' '));
  return said.filter((message, at) => !before.has(String(from + at)) && isOfTurn(message));
}

/** Where the run is, by the fields of the task. */
function logOf(
  { state, seq, last, turn, attempt }: StateWord,
  {
    text,
    upto,
    isKept,
  }: { readonly text: (name: RunField) => string; readonly upto: number; readonly isKept: boolean },
): RunLog {
  const status = text(FIELD.status);
  const artifacts = text(FIELD.artifactNames);
  const now = {
    state,
    seq,
    last,
    turn,
    attempt,
    ms: status.slice(0, 13),
    message: status.slice(14),
    artifacts: artifacts === '' ? [] : (JSON.parse(artifacts) as string[]),
    upto,
    bytes: Number(text(FIELD.resultBytes)),
    base: isKept ? Number(text(FIELD.replay).split(' ')[1]) : seq,
    isFresh: seq === 1 && upto === 1,
    isOver: false,
  };
  const log = new RunLog(now, text(FIELD.hasChildren) !== '', isKept);
  log.hasUndo = text(FIELD.hasUndo) !== '';
  return log;
}

/** '<state> <message or nothing>' */
function endOf(text: string): TaskEnd {
  const [state = ''] = text.split(' ', 1);
  const message = text.slice(state.length + 1);
  return { state: state as TaskState, ...(message === '' ? {} : { message: JSON.parse(message) as Message }) };
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
  late: () => readonly LateMessage[],
): Repetition | undefined {
  if (stored === '') return undefined;
  const [ofTurn, base] = stored.split(' ').map(Number);
  if (ofTurn !== turn || base === undefined) return undefined;
  return { record: turnRecord(turn, journal), yielded: Math.max(0, seq - base), late: late() };
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
