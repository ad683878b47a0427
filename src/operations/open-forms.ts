import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { formSchemaIn, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { Task, TaskStatus } from '@parley/protocol/model/task.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';

/** An open question of a task. */
export interface OpenForm {
  /** The id of a listed question; that of the message for the question that ended the turn of the task. */
  readonly id: string;
  readonly isListed: boolean;
  readonly text: string;
  readonly schema: JsonObject | undefined;
  readonly expires: string;
  /** Its task, skill and path, where it is of a child. */
  readonly about: JsonObject;
}

/** Where an answer belongs: the task that takes it, and its question. */
export interface FormAddress {
  readonly taskId: string;
  readonly questionId: string;
  readonly isListed: boolean;
}

/** The answer to a question. */
export interface FormAnswer extends FormAddress {
  readonly value: unknown;
}

/** Messages of a task in which a repeated answer is found. */
export const ANSWERS_HISTORY = 200;

/** The open questions of a task that waits for answers. */
export function openForms(status: TaskStatus): readonly OpenForm[] {
  const { message } = status;
  const entry = message?.metadata?.[QUESTIONS_EXTENSION];
  const listed = isJsonObject(entry) && Array.isArray(entry.questions) ? entry.questions.filter(isJsonObject) : [];
  if (listed.length === 0) return [ofTurn(status)];
  return listed.map(({ id, text, schema, expires, taskId, path, skillId }) => ({
    ...{ id: String(id), isListed: true, text: textIn(text), expires: textIn(expires) },
    schema: isJsonObject(schema) ? schema : undefined,
    about: { taskId, path, skillId, ...(isJsonObject(entry) && 'more' in entry ? { more: entry.more } : {}) },
  }));
}

/** The address of a question as one word. */
export function formAddress(taskId: string, { id, isListed }: Pick<OpenForm, 'id' | 'isListed'>): string {
  return `${taskId}~${isListed ? '' : 'm:'}${id}`;
}

/** Undefined for another word: it costs no read. */
export function readFormAddress(word: string): FormAddress | undefined {
  const [, taskId, mark, questionId] = /^([\w-]{1,64})~(m:)?([\w.:-]{1,128})$/.exec(word) ?? [];
  if (taskId === undefined || questionId === undefined) return undefined;
  return { taskId, questionId, isListed: mark === undefined };
}

/** Answers to questions of one task as one message, whose id follows from them: sent twice, it is the same one. */
export function answering(sender: string, answers: readonly FormAnswer[]): Message {
  const [first] = answers;
  const said = answers.map(({ taskId, questionId: id, isListed, value }) => [
    formAddress(taskId, { id, isListed }),
    value,
  ]);
  const digest = createHash('sha256')
    .update(canonicalize(said) ?? '')
    .digest('base64url');
  const message = { messageId: `${sender}:${digest}`, taskId: first?.taskId ?? '', role: 'ROLE_USER' } as const;
  if (answers.length === 1 && first !== undefined) {
    const { value, isListed, questionId } = first;
    const named = isListed ? { [QUESTIONS_EXTENSION]: { questionId } } : {};
    return { ...message, parts: [typeof value === 'string' ? { text: value } : { data: value }], metadata: named };
  }
  const byId = Object.fromEntries(answers.map(({ questionId, value }) => [questionId, value] as const));
  return { ...message, parts: [{ data: { answers: byId } }] };
}

/**
 * Whether a task takes a message as the answer to the question that ended its turn. That question has no id of its own:
 * its message tells whether it is still asked, and the history whether this very answer was given.
 */
export function takesAnswer({ status, history = [] }: Task, questionId: string, { messageId }: Message): boolean {
  if (status.state === 'TASK_STATE_INPUT_REQUIRED' && turnQuestionId(status) === questionId) return true;
  return history.some((message) => message.messageId === messageId);
}

export function textOfMessage(message: Pick<Message, 'parts'> | undefined): string {
  return message === undefined ? '' : turnContent([message]).text;
}

/** The id of the question with which a task itself ended its turn: its next message answers. */
export function turnQuestionId({ message }: TaskStatus): string {
  return message?.messageId ?? 'turn';
}

function ofTurn(status: TaskStatus): OpenForm {
  const { message } = status;
  const schema = formSchemaIn(message?.parts);
  return { id: turnQuestionId(status), isListed: false, text: textOfMessage(message), schema, expires: '', about: {} };
}

/** Whether a schema is one of a decision: yes or no. */
export function isDecision(schema: JsonObject): boolean {
  const { anyOf, oneOf } = schema;
  const options: unknown[] = [schema, anyOf, oneOf].flat();
  return options.some((one) => isJsonObject(one) && (one.type === 'boolean' || isOfWords(one.enum)));
}

function isOfWords(words: unknown): boolean {
  return Array.isArray(words) && words.includes('approve') && words.includes('reject');
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
