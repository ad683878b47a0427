import type { ClaimedRun } from '../commit/claimed-run.js';
import { type NewTask, restText, traitsOfNew } from '../record/new-task.js';
import { runBegun, runField } from '../commit/run-log.js';
import { RunLog } from '../commit/run-progress.js';
import { type StateWord, wordText } from '../record/state-word.js';
import { type StatusText, statusText, taskHead, taskRest } from '../record/task-json.js';
import { contextOfTask } from '../record/task-lists.js';
import { type TaskTraits, traitsText } from '../record/task-record.js';
import type { Message } from '@parley/protocol/model/message.js';
import { agentMessage } from '../record/agent-message.js';
import { eventField, FIELD } from '../task-fields.js';

/** A new task in its stored form. */
export interface NewRecord {
  readonly contextId: string;
  readonly nonce: string;
  readonly traits: TaskTraits;
  /** `<ms>:<id>`, its index entry. */
  readonly entry: string;
  /** JSON of the task. */
  readonly task: string;
  readonly word: StateWord;
  /** The fields of its hash except the word: name, value. The first event is the last of them. */
  readonly fields: readonly string[];
  readonly bytes: number;
  /** Bytes of its initial journal. */
  readonly journalBytes: number;
  readonly status: StatusText;
}

/**
 * Redis' overhead for a small task besides the texts of its record: keys, list entries, first events, and the mark of
 * its message.
 */
const TASK_BYTES = 2_048;
/** The same for the lists of a context named by a client, each with the context in its key. */
const CONTEXT_BYTES = 1_024;
const CONTEXT_LISTS = 4;

/** Computes the stored form of a new task. `born` is in ms since 1970. */
export function newRecord(input: NewTask, digest: string, nonce: string, born: number): NewRecord {
  const { id, routing } = input;
  const contextId = input.contextId ?? contextOfTask(id);
  const traits = traitsOfNew(input, digest);
  const isRejected = 'rejection' in routing;
  const said = isRejected ? agentMessage(id, contextId, routing.rejection) : undefined;
  const status = statusText(isRejected ? 'TASK_STATE_REJECTED' : 'TASK_STATE_SUBMITTED', born, said);
  const metadata = input.metadata === undefined ? '' : JSON.stringify(input.metadata);
  const text = storedMessage(input, contextId);
  const head = taskHead({ id, contextId, status });
  const fields = [FIELD.owner, input.owner, FIELD.context, contextId, FIELD.traits, traitsText(traits)];
  fields.push(FIELD.rest, restText(input, born));
  if (metadata !== '') fields.push(FIELD.metadata, metadata);
  fields.push(FIELD.firstMessage, text, FIELD.status, `${status.ms} ${status.message}`);
  if (input.push !== undefined) fields.push(FIELD.hooks, input.push.id, FIELD.hasRequest, '1');
  carry(fields, FIELD.traceparent, input.trace?.traceparent);
  carry(fields, FIELD.tracestate, input.trace?.tracestate);
  carry(fields, FIELD.names, input.trace?.names);
  const lists = traits.isNamed ? CONTEXT_BYTES + CONTEXT_LISTS * Buffer.byteLength(contextId) : 0;
  const bytes = fields.reduce((sum, field) => sum + Buffer.byteLength(field), TASK_BYTES + lists);
  fields.push(FIELD.messageBytes, String(bytes));
  const journalBytes = bytesOfJournal(input);
  if (journalBytes > 0) fields.push(FIELD.journalBytes, String(journalBytes));
  // The first event, up to the message: that is added when the event is read, so that no message is stored twice.
  fields.push(eventField(1), `${nonce} {"task":${head},"history":[`);
  return {
    contextId,
    nonce,
    traits,
    task: `${head}${taskRest({ history: [text], metadata })}`,
    bytes,
    journalBytes,
    status,
    entry: `${status.ms}:${id}`,
    word: { state: status.state, seq: 1, fence: isRejected ? 0 : 1, nonce: '', turn: 1, attempt: 0, last: nonce },
    fields,
  };
}

/** The message in its stored form. Reuses the text of the request if that names neither task nor context. */
function storedMessage(input: NewTask, contextId: string): string {
  const { id, messageText, message } = input;
  if (messageText === undefined || 'taskId' in message || 'contextId' in message)
    return JSON.stringify(messageOf(input, contextId));
  return `${messageText.slice(0, -1)},"taskId":"${id}","contextId":${JSON.stringify(contextId)}}`;
}

/** The message that begins a task. */
function messageOf({ id, message }: NewTask, contextId: string): Message {
  return Object.assign({}, message, { taskId: id, contextId });
}

function bytesOfJournal({ journal = [] }: NewTask): number {
  return journal.reduce((sum, [field, text]) => sum + Buffer.byteLength(field) + Buffer.byteLength(text), 0);
}

function carry(fields: string[], name: string, value: string | undefined): void {
  if (value !== undefined && value !== '') fields.push(name, value);
}

/** The state word of a task whose first run is claimed at creation. */
export function claimedWord({ word, nonce }: NewRecord): string {
  return wordText({ ...word, nonce, attempt: 1 });
}

/** The fields of that run: its process, and its entry in the log of runs. Without effect until it is claimed. */
export function claimedFields(record: NewRecord, channel: string): readonly string[] {
  return [FIELD.worker, channel, runField(record.word.fence), beginningEntry(record, channel)];
}

function beginningEntry({ word, status }: NewRecord, channel: string): string {
  return runBegun({ turn: word.turn, attempt: 1, born: Number(status.ms) }, channel);
}

/** The run claimed at creation: built here instead of read. */
export function beginningRun(input: NewTask, record: NewRecord, channel: string): ClaimedRun {
  return {
    taskId: input.id,
    contextId: record.contextId,
    fence: 1,
    nonce: record.nonce,
    owner: input.owner,
    tenant: input.tenant,
    client: input.client,
    subject: input.subject ?? '',
    skillId: record.traits.skillId,
    traits: record.traits,
    dialect: input.dialect,
    scopes: input.scopes ?? [],
    path: input.tree?.path ?? record.traits.skillId,
    transfers: input.tree?.transfers,
    version: 'skillId' in input.routing ? (input.routing.version ?? 0) : 0,
    position: 0,
    turn: 1,
    attempt: 1,
    isWorking: false,
    seq: 1,
    metadata: input.metadata ?? {},
    acceptedOutputModes: input.acceptedOutputModes ?? [],
    begun: beginningEntry(record, channel),
    trace: input.trace ?? {},
    runBefore: '',
    messages: [messageOf(input, record.contextId)],
    history: [messageOf(input, record.contextId)],
    messageBytes: record.bytes,
    reply: '',
    hints: 0,
    published: 0,
    hops: input.hops ?? 0,
    hasJournal: record.journalBytes > 0,
    isSimulated: input.isSimulated === true,
    asked: NOTHING_ASKED,
    log: freshLog(record.nonce, record.status),
  };
}

const NOTHING_ASKED = { open: [], answered: 0 } as const;

/** The run's knowledge of a task with only its first event stored. */
function freshLog(last: string, { state, ms }: StatusText): RunLog {
  return new RunLog({
    isFresh: true,
    hasEnded: false,
    state,
    seq: 1,
    last,
    turn: 1,
    attempt: 1,
    ms,
    message: '',
    artifacts: [],
    upto: 1,
    bytes: 0,
    base: 1,
  });
}
