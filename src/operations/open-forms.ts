import { formSchemaIn, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
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
