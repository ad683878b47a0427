import { isInterrupted, type TaskState } from '../protocol/task-state.js';
import type { AskingState, OpenQuestion } from '../protocol/questions.js';
import type { ClaimedRun } from './claimed-run.js';

/** The open questions of a task as its record has them: field `qs`, JSON, '' for none. */
export function openQuestions(text: string): readonly OpenQuestion[] {
  return text === '' ? [] : (JSON.parse(text) as OpenQuestion[]);
}

/** '' for none. */
export function questionsText(questions: readonly OpenQuestion[]): string {
  return questions.length === 0 ? '' : JSON.stringify(questions);
}

/** The name of a question that a run asks and waits for. @param call its number in the turn, from 1 */
export function questionId(taskId: string, turn: number, call: number): string {
  return `${taskId}:${String(turn)}.${String(call)}`;
}

/** The field of the journal that takes the answer; undefined for the question with which a turn has ended. */
export function answerField(id: string): string | undefined {
  const [, turn, call] = /:(\d+)\.(\d+)$/.exec(id) ?? [];
  return turn === undefined || call === undefined ? undefined : `${turn}!${call}`;
}

/** The question with which a child ends its turn, for the root of its tree. @param statusMessage JSON of the message, or '' */
export function questionOfTurn(
  { taskId, turn, skillId, path }: Pick<ClaimedRun, 'taskId' | 'turn' | 'skillId' | 'path'>,
  state: TaskState,
  { statusMessage, until }: { readonly statusMessage: string; readonly until: number },
): OpenQuestion | undefined {
  if (!isAsking(state)) return undefined;
  const said = statusMessage === '' ? undefined : (JSON.parse(statusMessage) as Pick<OpenQuestion, 'parts'>);
  const parts = said?.parts ?? [{ text: `${path} needs an answer` }];
  return { id: `${taskId}:${String(turn)}`, taskId, skillId, path, how: 'turn', state, parts, until };
}

function isAsking(state: TaskState): state is AskingState {
  return isInterrupted(state);
}
