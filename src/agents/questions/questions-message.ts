import type { Message } from '@parley/protocol/model/message.js';
import { type AskingState, type OpenQuestion, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';

/** Maximum questions, and their bytes, in one message; the others follow as these are answered. */
const MAX_LISTED = 100;
const MAX_BYTES = 256 * 1024;

/** A question in its form for callers. */
interface ListedQuestion {
  readonly id: string;
  readonly taskId: string;
  readonly path: string;
  readonly skillId: string;
  readonly state: AskingState;
  readonly text: string;
  readonly schema?: unknown;
  readonly expires: string;
}

/** The state of a task that waits for answers: only a login keeps its streams open. */
export function stateOfQuestions(questions: readonly OpenQuestion[]): AskingState {
  const isLogin = questions.length > 0 && questions.every(({ state }) => state === 'TASK_STATE_AUTH_REQUIRED');
  return isLogin ? 'TASK_STATE_AUTH_REQUIRED' : 'TASK_STATE_INPUT_REQUIRED';
}

/**
 * The status message that asks: its text for people, the list in its metadata for programs.
 * @param because reason for asking again
 */
export function questionsMessage(
  task: { readonly taskId: string; readonly contextId: string },
  questions: readonly OpenQuestion[],
  messageId: string,
  because?: string,
): Message {
  const listed = listedOf(questions);
  const left = questions.length - listed.length;
  const [only] = questions;
  const asked = questions.length === 1 && only !== undefined ? only.parts : [{ text: textOf(listed) }];
  return {
    ...{ messageId, role: 'ROLE_AGENT', ...task },
    parts: [...(because === undefined ? [] : [{ text: because }]), ...asked],
    metadata: { [QUESTIONS_EXTENSION]: { questions: listed, ...(left === 0 ? {} : { more: left }) } },
    extensions: [QUESTIONS_EXTENSION],
  };
}

/** The ids of the questions in a status message. */
export function listedIn(statusMessage: string): readonly string[] {
  if (statusMessage === '') return [];
  const { metadata } = JSON.parse(statusMessage) as Message;
  const entry = metadata?.[QUESTIONS_EXTENSION];
  if (typeof entry !== 'object' || entry === null || !('questions' in entry)) return [];
  return (entry as { readonly questions: readonly ListedQuestion[] }).questions.map(({ id }) => id);
}

function listedOf(questions: readonly OpenQuestion[]): readonly ListedQuestion[] {
  let bytes = 0;
  const listed: ListedQuestion[] = [];
  for (const question of questions.slice(0, MAX_LISTED)) {
    const one = listedQuestion(question);
    bytes += Buffer.byteLength(JSON.stringify(one));
    if (bytes > MAX_BYTES && listed.length > 0) break;
    listed.push(one);
  }
  return listed;
}

function listedQuestion({ id, taskId, path, skillId, state, parts, schema, until }: OpenQuestion): ListedQuestion {
  const { text } = turnContent([{ parts }]);
  const about = { id, taskId, path, skillId, state, text, expires: new Date(until).toISOString() };
  return schema === undefined ? about : { ...about, schema };
}

function textOf(listed: readonly ListedQuestion[]): string {
  return listed.map(({ path, text, id }, at) => `${String(at + 1)}. ${path}: ${text} [${id}]`).join('\n');
}
