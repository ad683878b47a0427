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

/** All data of a task that a worker needs to run its turn. */
export interface ClaimedRun extends Claim {
  readonly owner: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject: string;
  readonly skillId: string;
  readonly traits: TaskTraits;
  /** The protocol version of the call that began it. */
  readonly dialect: ProtocolVersion;
  /** Scopes of its caller that skills require. */
  readonly scopes: readonly string[];
  /** The skills and calls from the root of its tree to it. */
  readonly path: string;
  /** The version of its skill that it began with. */
  readonly version: number;
  /** Whether it is simulated: without remote or irreversible calls. */
  readonly isSimulated: boolean;
  /** The hand-overs of the conversation from the root to it. */
  readonly transfers?: readonly TransferRecord[] | undefined;
  /** The position that its fair queue served when it began; 0 if it waited in none. */
  readonly position: number;
  readonly turn: number;
  readonly attempt: number;
  /** Earlier runs of the turn that were lost with their process: no failures of the skill. */
  readonly losses?: number | undefined;
  /** For a suspect, the last attempt after lost runs: lifetime of the previous run, ms (lua/store/evaluate.lua). */
  readonly suspectMs?: number | undefined;
  /** Whether the task is WORKING already; if not, the first event of the run sets that. */
  readonly isWorking: boolean;
  /** The number of the task's latest event when the run began. */
  readonly seq: number;
  readonly metadata: JsonObject;
  readonly acceptedOutputModes: readonly string[];
  /** Its entry in the log of runs. */
  readonly begun: string;
  /** The trace context by which this turn continues its caller's trace. */
  readonly trace: CallTrace;
  /** The W3C traceparent of the previous run, if recorded; else ''. */
  readonly runBefore: string;
  /** The messages that began this turn. */
  readonly messages: readonly Message[];
  /** The task's first message and the latest ones, including those of this turn: all of them up to a bound. */
  readonly history: readonly Message[];
  /** Bytes of all messages of its callers when the run began. */
  readonly messageBytes: number;
  /** The channel of the process whose caller waits, or ''. */
  readonly reply: string;
  /** End of the wait before this run, ms by Redis' clock; absent for the first run of a turn. */
  readonly wokenAt?: number | undefined;
  /** The questions open when the run began, and the number of answered ones. */
  readonly asked: { readonly open: readonly OpenQuestion[]; readonly answered: number };
  /** Number of hints that the task had received. */
  readonly hints: number;
  /** The end of the task once its finished work is undone by this turn; absent for a turn of its skill. */
  readonly ending?: TaskEnd | undefined;
  /** Number of events published by this turn, and of published events that led to the task. */
  readonly published: number;
  readonly hops: number;
  /** Whether its journal had entries when the run began. */
  readonly hasJournal: boolean;
  /** The calls of this turn's earlier runs, their results, and the point they reached. */
  readonly repeats?: Repetition | undefined;
  /** The run's knowledge of event log and history. */
  readonly log: RunLog;
}

/** The end of a task, with its message. */
export interface TaskEnd {
  readonly state: TaskState;
  readonly message?: Message;
}

/** A turn replayed from its start up to its wait. */
export interface Repetition {
  readonly record: TurnRecord;
  /** Number of events yielded by the turn: they are stored, and not written again. */
  readonly yielded: number;
  /** Messages that arrived after those of the turn. */
  readonly late: readonly LateMessage[];
}

/** A message that arrived during the task's turn, with its index in the history. */
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
  hasJournal: number,
  position?: string,
];

type RunField = (typeof RUN_FIELDS)[number];

/** Index of each field in the reply of claim.lua. */
const PLACES = Object.fromEntries(RUN_FIELDS.map((name, at) => [name, at])) as Readonly<Record<RunField, number>>;

/** Reads the reply of claim.lua. */
// eslint-disable-next-line max-lines-per-function -- one literal with all members
export function claimedRun(
  taskId: string,
  channel: string,
  [, redisMs, wordOf, values, [from, upto, first], said, journal, hasJournal, position]: ClaimReply,
): ClaimedRun {
  const text = (name: RunField): string => values[PLACES[name]] ?? '';
  const word = stateWord(wordOf);
  const traits = traitsOf(text(FIELD.traits));
  const rest = JSON.parse(text(FIELD.rest)) as TaskRest;
  const all = said.map((message) => JSON.parse(message) as Message);
  // After the messages of a replayed turn come the later ones.
  const later = first === 0 ? all : all.slice(1);
  const known = later.slice(0, upto - first);
  // The first message is always included: it has the input and the context.
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
    hasJournal: hasJournal === 1,
    repeats,
    log: logOf(word, { text, upto, isKept: repeats !== undefined }),
  };
}

/** '<fence> <ms>', or '- <ms>' for a run beside others. */
function suspectMs(stored: string, { fence }: StateWord): number | undefined {
  const [whose, ms] = stored.split(' ');
  return whose === String(fence) || whose === '-' ? Number(ms) : undefined;
}

/**
 * The messages that began a turn, without those read by an earlier one. @param read their indexes, separated by spaces
 */
function messagesOfTurn(said: readonly Message[], from: number, read: string): readonly Message[] {
  if (read === '') return said.filter(isOfTurn);
  const before = new Set(read.split(' '));
  return said.filter((message, at) => !before.has(String(from + at)) && isOfTurn(message));
}

/** The run's position, from the fields of the task. */
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
    hasEnded: false,
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

/** Output modes of the task's first message, unless a later one replaced them. */
function modesOf(later: string, { modes = [] }: TaskRest): readonly string[] {
  return later === '' ? modes : (JSON.parse(later) as string[]);
}

/** The data for replaying a turn that has waited before. */
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

/** The messages of callers in the history from an index on. */
export function lateMessages(said: readonly Message[], from: number): readonly LateMessage[] {
  return said.flatMap((message, at) => (isOfTurn(message) ? [{ index: from + at, message }] : []));
}

/** Excludes messages of the agent, answers to questions, and messages for another task. */
function isOfTurn(message: Message): boolean {
  const isHandedOn = message.metadata?.[HANDED_TO] !== undefined;
  return message.role === 'ROLE_USER' && !isHandedOn && answeredBy(message).length === 0;
}
