import { QUESTIONS_EXTENSION } from '../../../src/protocol/questions.js';
import { call } from './a2a.js';
import type { Message } from './content.js';
import type { Schema } from './schema.js';

/** A question that waits for its answer, as the status message of its tree lists it. Its words are those of an agent. */
export interface Question {
  /** Absent for a question without the extension: the next message to the task answers it. */
  readonly id?: string;
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
  return [{ text }];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isQuestion(value: unknown): value is Question {
  return typeof memberOf(value, 'id') === 'string' && typeof memberOf(value, 'text') === 'string';
}

/**
 * Answers a question of one's own task by a message, with the viewer's own rights: the service writes down who has answered.
 * @throws Error in words for the viewer
 */
export async function answer(
  { taskId, contextId }: { readonly taskId: string; readonly contextId: string },
  { id }: Question,
  value: unknown,
): Promise<string> {
  const part = typeof value === 'string' ? { text: value } : { data: value };
  const message = {
    ...{ messageId: crypto.randomUUID(), role: 'ROLE_USER', taskId, contextId, parts: [part] },
    ...(id === undefined ? {} : { metadata: { [QUESTIONS_EXTENSION]: { questionId: id } } }),
  };
  const params = { message, configuration: { returnImmediately: true } };
  const { error } = await call({ operation: 'SendMessage', params });
  if (error === undefined) return 'The answer was taken.';
  if (error.message === 'Task not found') throw new Error('Only the caller that has begun this task may answer it.');
  throw new Error(error.message);
}
