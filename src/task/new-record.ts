import type { ClaimedRun } from './claimed-run.js';
import { type NewTask, restOfNew, traitsOfNew } from './new-task.js';
import { padded } from './redis-clock.js';
import { runBegun } from './run-log.js';
import { RunLog } from './run-progress.js';
import { type StateWord, wordText } from './state-word.js';
import { newTaskJson, type StatusText, statusText, type TaskText } from './task-json.js';
import { contextOfTask } from './task-lists.js';
import { type TaskTraits, traitsText } from './task-record.js';
import type { Message } from '../protocol/message.js';
import { agentMessage } from './agent-message.js';

/** A new task, as it will be stored. */
export interface NewRecord {
  readonly contextId: string;
  readonly nonce: string;
  readonly traits: TaskTraits;
  /** `<ms>:<id>`, its index entry. */
  readonly entry: string;
  /** JSON of the task. */
  readonly task: string;
  readonly word: StateWord;
  /** The fields of its hash but the word: name, value. */
  readonly fields: readonly string[];
  readonly bytes: number;
  readonly message: Message;
  readonly status: StatusText;
  /** JSON of the message and of the metadata; '' for none. */
  readonly beginning: Pick<TaskText, 'message' | 'metadata'>;
}

/** Works out what is stored of a new task. `born` is in ms since 1970. */
export function newRecord(input: NewTask, digest: string, nonce: string, born: number): NewRecord {
  const { id, routing } = input;
  const contextId = input.contextId ?? contextOfTask(id);
  const message = { ...input.message, taskId: id, contextId };
  const traits = traitsOfNew(input, digest);
  const isRejected = 'rejection' in routing;
  const said = isRejected ? agentMessage(id, contextId, routing.rejection) : undefined;
  const status = statusText(isRejected ? 'TASK_STATE_REJECTED' : 'TASK_STATE_SUBMITTED', born, said);
  const metadata = input.metadata === undefined ? '' : JSON.stringify(input.metadata);
  const text = JSON.stringify(message);
  const task = newTaskJson({ id, contextId, status, message: text, metadata });
  const bytes = Buffer.byteLength(text) + Buffer.byteLength(metadata);
  const { push, trace = {} } = input;
  return {
    ...{
      contextId,
      nonce,
      traits,
      task,
      bytes,
      message,
      status,
      beginning: { message: text, metadata },
      entry: `${padded(born)}:${id}`,
    },
    word: { state: status.state, seq: 1, fence: isRejected ? 0 : 1, nonce: '', turn: 1, attempt: 0, last: nonce },
    fields: [
      ...['o', input.owner, 'c', contextId, 'i', traitsText(traits), 'j', JSON.stringify(restOfNew(input, born))],
      ...(metadata === '' ? [] : ['m', metadata]),
      ...['h', text, 't', `${status.ms} ${status.message}`, 'b', String(bytes)],
      ...['e1', `${nonce} ${birthEvent(task, text)}`],
      ...(push === undefined ? [] : ['w', push.id, 'x', '1']),
      ...carried('tp', trace.traceparent),
      ...carried('ts', trace.tracestate),
    ],
  };
}

/** The state word of a task whose first run is claimed at creation. */
export function claimedWord(record: NewRecord): string {
  return wordText({ ...record.word, nonce: record.nonce, attempt: 1 });
}

/** The entry of that run in the log of runs. */
export function beginningEntry({ word, status }: NewRecord, channel: string): string {
  return runBegun({ word: { ...word, attempt: 1 }, born: Number(status.ms) }, channel);
}

/** The run that has been claimed so: made here and not read. */
export function beginningRun(input: NewTask, record: NewRecord, channel: string): ClaimedRun {
  const { contextId, nonce, traits, message, status, beginning } = record;
  return {
    ...{ taskId: input.id, contextId, fence: 1, nonce, owner: input.owner },
    ...{ tenant: input.tenant, client: input.client, subject: input.subject ?? '', skillId: traits.skillId, traits },
    ...{ turn: 1, attempt: 1, seq: 1, isWorking: false, metadata: input.metadata ?? {} },
    acceptedOutputModes: input.acceptedOutputModes ?? [],
    ...{ trace: input.trace ?? {}, runBefore: '', messages: [message], history: [message], reply: '' },
    begun: beginningEntry(record, channel),
    messageBytes: record.bytes,
    beginning,
    log: new RunLog({
      ...{ state: status.state, seq: 1, last: nonce, turn: 1, attempt: 1, ms: status.ms, message: '' },
      ...{ artifacts: [], upto: 1, bytes: 0, isFresh: true, isOver: false },
    }),
  };
}

/** The first event, up to the message: that is added when the event is read, so that no message is stored twice. */
function birthEvent(task: string, message: string): string {
  return `{"task":${task.slice(0, task.indexOf(`"history":[${message}`))}"history":[`;
}

function carried(name: string, value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [name, value];
}
