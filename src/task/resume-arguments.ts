import type { Message } from '../protocol/message.js';
import { HANDED_TO } from '../protocol/marks.js';
import { withAnswered } from '../protocol/questions.js';
import { signalOf } from '../protocol/signal.js';
import type { Arguments } from './commit-arguments.js';
import type { JudgedMessage, NextTurn, TaskAnswers } from './next-turn.js';
import { digestOf } from './sender.store.js';
import { statusEventHead, statusEventTail, statusText, type StatusText } from './task-json.js';
import { indexOf, listedUnder, listsOf } from './task-lists.js';
import { accountsOf, type TaskTraits } from './task-record.js';
import { OPEN_STATES, WAITING_STATES } from './task-rules.js';
import { shardName, shardOf, type TaskKeys } from './task.keys.js';
import { type TaskOptions, ttlOf } from './task.options.js';

/** The constant members of a task, for decisions before a change. */
export interface TaskBasis {
  readonly contextId: string;
  readonly skillId: string;
  readonly traits: TaskTraits;
}

/** Where a message finds its task. */
interface Target {
  readonly keys: TaskKeys;
  readonly options: TaskOptions;
  /** The position that other fair queues have reached. */
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

/** KEYS and ARGV of resume.lua. */
export function resuming({ keys, options, served }: Target, given: Resuming): Arguments {
  const { owner, facts, message, requestHash, turn, nonce, ms } = given;
  const { trace = {}, acceptedOutputModes: modes, metadata, sender, push, judged } = turn;
  const { taskId: id, messageId } = message;
  const name = turn.knownAs ?? messageId;
  const contextId = message.contextId ?? facts.contextId;
  const inContext = { ...message, contextId };
  const text = JSON.stringify(marked(inContext, judged));
  const status = statusAfter(judged, ms);
  const event = statusEventHead(id, facts.contextId) + statusEventTail(status);
  const answers =
    judged?.kind === 'answers'
      ? judged.answers.flatMap(answerArguments)
      : judged?.kind === 'handed'
        ? [judged.to, JSON.stringify(withHandedTo({ ...inContext, taskId: judged.to }, undefined))]
        : [];
  return {
    keys: resumeKeys(keys, owner, id, { facts, judged }),
    args: [
      ...[id, owner, contextId, name, requestHash, text, nonce, OPEN_STATES, WAITING_STATES],
      ...[status.state, event, status.ms, options.stuckTtlMs, ttlOf(options), served],
      ...[keys.hints, shardName(shardOf(id)), options.mostMessages, options.mostBytes],
      ...[...accountsOf(facts.traits), jsonOf(modes), jsonOf(metadata)],
      ...[push?.id ?? '', push?.record ?? '', push?.most ?? ''],
      ...(sender === undefined ? ['', ''] : [digestOf(message), JSON.stringify(sender)]),
      signalOf(message),
      ...[judgedAs(judged, answers.length), status.message, options.mostJournalBytes, options.mostJournalEntries],
      ...answers,
      ...['tp', trace.traceparent ?? '', 'ts', trace.tracestate ?? ''],
    ],
  };
}

function resumeKeys(
  keys: TaskKeys,
  owner: string,
  id: string,
  { facts: { contextId, traits }, judged }: { readonly facts: TaskBasis; readonly judged: JudgedMessage | undefined },
): readonly string[] {
  const shard = shardOf(id);
  const { open, openOfContext, openByState } = listsOf(keys, id, listedUnder(owner, traits), contextId);
  const answered = judged?.kind === 'answers' ? judged.answers : [];
  const holder = judged?.kind === 'handed' ? [judged.to] : [];
  return [
    ...[keys.task(id), keys.due(shard), ...keys.queuesOf(id), keys.counts(shard)],
    ...[keys.history(id), keys.states(id), keys.outbox(shard), open, openOfContext],
    ...[keys.messages(id), keys.bytes(shard), keys.push(id), keys.senders(id), keys.parked(shard)],
    ...[keys.questions(traits.tree?.root ?? id), keys.asking(shard)],
    ...answered.flatMap(({ taskId }) => [keys.task(taskId), keys.journal(taskId)]),
    ...holder.flatMap((taskId) => [keys.task(taskId), keys.history(taskId), keys.senders(taskId)]),
    ...openByState,
    indexOf(keys, id, traits),
  ];
}

/** The message as the task keeps it: only the service says what it has answered, and which other task has got it. */
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

function judgedAs(judged: JudgedMessage | undefined, answers: number): number | string {
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
      return answers;
  }
}

function answerArguments({ taskId, seen, left, how, entries }: TaskAnswers): readonly (string | number)[] {
  const flat = entries.flat();
  return [taskId, seen, left, how, flat.length, ...flat];
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
