import { formSchemaIn, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { call } from './a2a/a2a.js';
import type { Message } from './content.js';
import type { Schema } from './schema.js';

/** A question that waits for its answer, as the status message of its tree lists it. Its words are those of an agent. */
export interface Question {
  /** Absent for a question without the extension: the next message to the task answers it. */
  readonly id?: string;
  /** The message that asks, where the question has no id. */
  readonly askedBy?: string;
  readonly text: string;
  readonly path?: string;
  readonly schema?: Schema;
  /** ISO 8601. */
  readonly expires?: string;
}

/** The open questions of a status message. */
export function questionsIn(message: Message | undefined): readonly Question[] {
  if (message === undefined) return [];
  const entry = memberOf(message.metadata, QUESTIONS_EXTENSION);
  const listed = memberOf(entry, 'questions');
  if (Array.isArray(listed) && listed.length > 0) return listed.filter(isQuestion);
  const text = (message.parts ?? []).flatMap((part) => part.text ?? []).join('\n');
  const schema = formSchemaIn(message.parts);
  return [{ text, askedBy: message.messageId, ...(schema === undefined ? {} : { schema }) }];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isQuestion(value: unknown): value is Question {
  return typeof memberOf(value, 'id') === 'string' && typeof memberOf(value, 'text') === 'string';
}

/**
 * Answers a question of one's own task by a message, with the viewer's own rights: the service records the sender.
 * @throws Error in words for the viewer
 */
export async function answer(
  { taskId, contextId }: { readonly taskId: string; readonly contextId: string },
  { id, askedBy }: Question,
  { value, messageId }: { readonly value: unknown; readonly messageId: string },
): Promise<'answered'> {
  if (askedBy !== undefined) await requireAsked(taskId, askedBy);
  const part = typeof value === 'string' ? { text: value } : { data: value };
  const message = {
    ...{ messageId, role: 'ROLE_USER', taskId, contextId, parts: [part] },
    ...(id === undefined ? {} : { metadata: { [QUESTIONS_EXTENSION]: { questionId: id } } }),
  };
  const params = { message, configuration: { returnImmediately: true } };
  const { error } = await call({ operation: 'SendMessage', params });
  if (error === undefined) return 'answered';
  if (error.message === 'Task not found') throw new Error('Only the caller that has begun this task may answer it.');
  throw new Error(error.message);
}

/**
 * A question without an id is answered by any next message: so one that was answered or replaced meanwhile gets none.
 * @throws Error in words for the viewer
 */
export async function requireAsked(taskId: string, askedBy: string): Promise<void> {
  const { result } = await call({ operation: 'GetTask', params: { id: taskId, historyLength: 0 } });
  const status = memberOf(result, 'status');
  if (status === undefined || memberOf(memberOf(status, 'message'), 'messageId') === askedBy) return;
  throw new Error('The question was answered, or the agent asks something else now. Nothing was sent.');
}
