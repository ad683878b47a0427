import type { Message } from '@parley/protocol/model/message.js';
import { HANDED_TO } from '@parley/protocol/extension/marks.js';
import { withAnswered } from '@parley/protocol/extension/questions.js';
import { signalOf } from '@parley/protocol/extension/signal.js';
import type { InputOf } from '../../platform/redis/script/redis-script.js';
import { FIELD } from '../task-fields.js';
import type { TASK_SCRIPTS } from '../task.scripts.js';
import type { JudgedMessage, NextTurn, TaskAnswers } from './next-turn.js';
import { digestOf } from '../questions/sender.store.js';
import { statusEventHead, statusEventTail, statusText, type StatusText } from '../record/task-json.js';
import { indexOf, listedUnder, listsOf } from '../record/task-lists.js';
import { accountsOf, type TaskTraits } from '../record/task-record.js';
import { OPEN_STATES, WAITING_STATES } from '../record/task-rules.js';
import { shardName, shardOf, type TaskKeys } from '../task.keys.js';
import { type TaskOptions, ttlOf } from '../task.options.js';

/** The constant members of a task, for decisions before a change. */
export interface TaskBasis {
  readonly contextId: string;
  readonly skillId: string;
  readonly traits: TaskTraits;
}

/** The shard and position for a message. */
interface Target {
  readonly keys: TaskKeys;
  readonly options: TaskOptions;
  /** The position reached by other fair queues. */
  readonly served: number;
}

interface Resuming {
  readonly owner: string;
  readonly facts: TaskBasis;
  readonly message: Message & { readonly taskId: string };
  readonly requestHash: string;
  readonly turn: NextTurn;
  readonly nonce: string;
  readonly ms: number;
}

type Resume = InputOf<typeof TASK_SCRIPTS.resume>;

/** The input of resume.lua. */
export function resuming({ keys, options, served }: Target, given: Resuming): Resume {
  const { owner, facts, message, requestHash, turn, nonce, ms } = given;
  const { trace = {}, acceptedOutputModes: modes, metadata, sender, push, judged } = turn;
  const { taskId: id, messageId } = message;
  const name = turn.knownAs ?? messageId;
  const contextId = message.contextId ?? facts.contextId;
  const inContext = { ...message, contextId };
  const text = JSON.stringify(marked(inContext, judged));
  const status = statusAfter(judged, ms);
  const event = statusEventHead(id, facts.contextId) + statusEventTail(status);
  const withId = judged?.kind === 'handed' ? { ...inContext, taskId: judged.to } : undefined;
  return {
    keys: resumeKeys(keys, owner, id, { facts, judged }),
    args: {
      ...{ id, owner, context: contextId, messageId: name, requestHash, message: text, nonce },
      ...{ openStates: OPEN_STATES, waitingStates: WAITING_STATES, state: status.state, event, ms: status.ms },
      ...{ stuckMs: options.stuckTtlMs, ttl: ttlOf(options), elsewhere: served },
      ...{ hints: keys.hints, shard: shardName(shardOf(id)), ...accountsOf(facts.traits) },
      ...{ maxMessages: options.mostMessages, maxBytes: options.mostBytes },
      ...{ modes: jsonOf(modes), metadata: jsonOf(metadata) },
      ...{ hook: push?.id ?? '', record: push?.record ?? '', maxHooks: push?.most ?? '' },
      digest: sender === undefined ? '' : digestOf(message),
      sender: sender === undefined ? '' : JSON.stringify(sender),
      ...{ signal: signalOf(message), judged: judgedAs(judged), statusMessage: status.message },
      ...{ maxJournalBytes: options.mostJournalBytes, maxJournalEntries: options.mostJournalEntries },
      answers: judged?.kind === 'answers' ? judged.answers.map(answerArguments) : [],
      fields: [
        FIELD.traceparent,
        trace.traceparent ?? '',
        FIELD.tracestate,
        trace.tracestate ?? '',
        FIELD.names,
        trace.names ?? '',
      ],
      holder: withId && { holderId: withId.taskId, holderMessage: JSON.stringify(withHandedTo(withId, undefined)) },
    },
  };
}

function resumeKeys(
  keys: TaskKeys,
  owner: string,
  id: string,
  { facts: { contextId, traits }, judged }: { readonly facts: TaskBasis; readonly judged: JudgedMessage | undefined },
): Resume['keys'] {
  const shard = shardOf(id);
  const { open, openOfContext, openByState } = listsOf(keys, id, listedUnder(owner, traits), contextId);
  const answered = judged?.kind === 'answers' ? judged.answers : [];
  return {
    ...{ task: keys.task(id), due: keys.due(shard), ...keys.queuesOf(id), counts: keys.counts(shard) },
    ...{ history: keys.history(id), states: keys.states(id), outbox: keys.outbox(shard), open, openOfContext },
    ...{ messages: keys.messages(id), bytes: keys.bytes(shard), push: keys.push(id), senders: keys.senders(id) },
    ...{ parked: keys.parked(shard), questions: keys.questions(traits.tree?.root ?? id), asking: keys.asking(shard) },
    ...{ ...openByState, tenantTasks: indexOf(keys, id, traits) },
    answered: answered.map(({ taskId }) => ({ answering: keys.task(taskId), answeringJournal: keys.journal(taskId) })),
    holder: judged?.kind === 'handed' ? holderKeys(keys, judged.to) : undefined,
  };
}

/** The keys of the task that has the conversation. */
function holderKeys(keys: TaskKeys, id: string) {
  return { holder: keys.task(id), holderHistory: keys.history(id), holderSenders: keys.senders(id) };
}

/**
 * The message in its stored form: only the service records the questions that it answered, and another task that got
 * it.
 */
function marked<M extends Pick<Message, 'metadata'>>(message: M, judged: JudgedMessage | undefined): M {
  const answered = withAnswered(message, judged?.kind === 'answers' ? judged.ids : []);
  return withHandedTo(answered, judged?.kind === 'handed' ? judged.to : undefined);
}

function withHandedTo<M extends Pick<Message, 'metadata'>>(message: M, to: string | undefined): M {
  return to === undefined ? message : { ...message, metadata: { ...message.metadata, [HANDED_TO]: to } };
}

function statusAfter(judged: JudgedMessage | undefined, ms: number): StatusText {
  const again = judged?.kind === 'answers' ? judged.again : judged?.kind === 'again' ? judged : undefined;
  return again === undefined
    ? statusText('TASK_STATE_WORKING', ms, undefined)
    : statusText(again.state, ms, again.message);
}

function judgedAs(judged: JudgedMessage | undefined): string {
  switch (judged?.kind) {
    case undefined:
      return '';
    case 'none':
      return '-';
    case 'unknown':
      return '!';
    case 'turn':
      return `=${String(judged.turn)}`;
    case 'handed':
      return judged.hasRead ? '>-' : '>';
    case 'answers':
    case 'again':
      return '?';
  }
}

function answerArguments({ taskId, seen, left, how, entries }: TaskAnswers) {
  return { id: taskId, seen, left, how, entries: entries.flat() };
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
