import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { formSchemaIn, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { TaskStatus } from '@parley/protocol/model/task.js';
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

/** An interrupt id, taken apart. */
export interface InterruptAddress {
  readonly taskId: string;
  readonly questionId: string;
  readonly isListed: boolean;
  /** Whether the payload has the answer as its member `value`. */
  readonly isWrapped: boolean;
}

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

/** The questions as interrupts of AG-UI. @param rootId the task that takes the answers */
export function interruptsOf(status: TaskStatus, rootId: string): readonly JsonObject[] {
  // Why it asks again, where it does: the message begins with the reason, and then has the question.
  const said = textOfMessage(status.message);
  const forms = openForms(status);
  return forms.map(({ id, isListed, text, schema, expires, about }) => {
    const isWrapped = schema !== undefined && schema.type !== 'object';
    const shown = forms.length === 1 && said !== '' ? said : text;
    return {
      id: `${rootId}~${isListed ? '' : 'm:'}${id}${isWrapped ? '~v' : ''}`,
      reason: schema !== undefined && isDecision(schema) ? 'confirmation' : 'input_required',
      message: shown,
      responseSchema: isWrapped ? { type: 'object', properties: { value: schema }, required: ['value'] } : schema,
      expiresAt: expires === '' ? undefined : expires,
      metadata: { parley: about },
    };
  });
}

/** Undefined for a text that is no interrupt id: it costs no read. */
export function readInterruptId(id: string): InterruptAddress | undefined {
  const [, taskId, mark, questionId, wrapped] = /^([\w-]{1,64})~(m:)?([\w.:-]{1,128})(~v)?$/.exec(id) ?? [];
  if (taskId === undefined || questionId === undefined) return undefined;
  return { taskId, questionId, isListed: mark === undefined, isWrapped: wrapped !== undefined };
}

/** The id of the message with a task's question: it names the task, for an answer that is typed. */
export function questionMessageId(taskId: string, { messageId }: Pick<Message, 'messageId'>): string {
  return `${taskId}/?${messageId}`;
}

/** The task whose question a message is; undefined for another message. */
export function askingTaskOf(messageId: string): string | undefined {
  return /^([\w-]{1,64})\/\?/.exec(messageId)?.[1];
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
function isDecision(schema: JsonObject): boolean {
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
