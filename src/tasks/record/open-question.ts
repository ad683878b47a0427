import { FIELD } from '../task-fields.js';
import { isInterrupted, type TaskState } from '@parley/protocol/model/task-state.js';
import type { AskingState, OpenQuestion } from '@parley/protocol/extension/questions.js';

/** The open questions of a task in its record: field `qs`, JSON, '' for none. */
export function openQuestions(text: string): readonly OpenQuestion[] {
  return text === '' ? [] : (JSON.parse(text) as OpenQuestion[]);
}

/** The nearest deadline of some questions, ISO 8601; absent without one. */
export function answerBy(questions: readonly OpenQuestion[]): { readonly answerBy?: string } {
  const nearest = Math.min(...questions.map(({ until }) => until));
  return Number.isFinite(nearest) ? { answerBy: new Date(nearest).toISOString() } : {};
}

/** '' for none. */
export function questionsText(questions: readonly OpenQuestion[]): string {
  return questions.length === 0 ? '' : JSON.stringify(questions);
}

/** The id of a question that a run asks and waits for. @param call its number in the turn, from 1 */
export function questionId(taskId: string, turn: number, call: number): string {
  return `${taskId}:${String(turn)}.${String(call)}`;
}

/** The journal field of the answer; undefined for a question that ended a turn. */
export function answerField(id: string): string | undefined {
  const [, turn, call] = /:(\d+)\.(\d+)$/.exec(id) ?? [];
  return turn === undefined || call === undefined ? undefined : `${turn}!${call}`;
}

/** The task that ends its turn with a question. */
interface EndingTurn {
  readonly taskId: string;
  readonly turn: number;
  readonly skillId: string;
  readonly path: string;
}

/**
 * The question with which a child ends its turn, for the root of its tree: fields of its record. 'message' is JSON, or
 * ''.
 */
export function fieldsOfQuestion(
  { taskId, turn, skillId, path }: EndingTurn,
  { state, message }: { readonly state: TaskState; readonly message: string },
  until: number,
): readonly string[] {
  if (!isAsking(state)) return [];
  const said = message === '' ? undefined : (JSON.parse(message) as Pick<OpenQuestion, 'parts'>);
  const parts = said?.parts ?? [{ text: `${path} needs an answer` }];
  const id = `${taskId}:${String(turn)}`;
  return [
    FIELD.questions,
    questionsText([{ id, taskId, skillId, path, how: 'turn', state, parts, until }]),
    FIELD.hasChildren,
    '1',
  ];
}

function isAsking(state: TaskState): state is AskingState {
  return isInterrupted(state);
}
