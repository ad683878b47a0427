import type { FieldViolation } from '@parley/protocol/model/errors.js';
import type { Message } from '@parley/protocol/model/message.js';
import { type OpenQuestion, type Person, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { answerValue } from '@parley/sdk/skill/questions/answer-value.js';

/** A valid answer with its question. */
export interface FittingAnswer {
  readonly question: OpenQuestion;
  readonly parts: Message['parts'];
  readonly value: unknown;
}

/** The relation of a message to open questions. */
export type Verdict =
  | { readonly kind: 'answers'; readonly answers: readonly FittingAnswer[] }
  /** It names none of several questions, or is invalid: they are asked again, for this reason. */
  | { readonly kind: 'again'; readonly because: string; readonly violations: readonly FieldViolation[] }
  /** It names a question that is not open. */
  | { readonly kind: 'unknown' };

/** The caller of an answer, for the comparison with approvers. */
export interface AnsweringCaller {
  readonly client: string;
  readonly subject?: string;
  readonly scopes: 'all' | readonly string[];
}

interface Addressed {
  readonly question: OpenQuestion;
  readonly parts: Message['parts'];
}

/** Bytes of an answer as JSON, since the journal of its task stores it. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** The form of `OpenQuestion.id`. */
const QUESTION_ID = /^[\w-]+:\d+(?:\.\d+)?$/;

/** Path of a message's question id. */
export const NAMED_QUESTION = `message.metadata["${QUESTIONS_EXTENSION}"].questionId`;

/**
 * Finds the questions that a message answers: by `questionId` in the metadata of the extension, by the ids of several
 * in `{"answers": {…}}` of a data part, by the asking task in `referenceTaskIds`, or the only open one. An ambiguous
 * message answers none (O-42).
 */
export function judged(message: Message, open: readonly OpenQuestion[]): Verdict {
  const addressed = addressedIn(message, open);
  if ('kind' in addressed) return addressed;
  const answers: FittingAnswer[] = [];
  const violations: FieldViolation[] = [];
  for (const { question, parts } of addressed) {
    const read = answerValue({ parts }, question.schema);
    if ('value' in read) answers.push({ question, parts, value: read.value });
    else violations.push(...read.misfits);
  }
  if (violations.length === 0) return { kind: 'answers', answers };
  const faults = violations.map(({ field, description }) => `${field} ${description}`).join('; ');
  return { kind: 'again', because: `The answer does not fit: ${faults}.`, violations };
}

/** The reason for refusing an answer: the caller is not an approver, began the task, or has answered already. */
export type AnswerRefusal = 'approvers' | 'four-eyes' | 'voted';

/** The reason for refusing a caller's answer; undefined when it is permitted (I13). */
export function refusalOf(
  caller: AnsweringCaller,
  { approvers = {}, startedBy, votes = [] }: Pick<OpenQuestion, 'approvers' | 'startedBy' | 'votes'>,
): AnswerRefusal | undefined {
  const { client, subject, scopes } = caller;
  const wanted = approvers.scopes ?? [];
  if (scopes !== 'all' && !wanted.every((scope) => scopes.includes(scope))) return 'approvers';
  if (approvers.clients !== undefined && !approvers.clients.includes(client)) return 'approvers';
  if (approvers.subjects !== undefined && (subject === undefined || !approvers.subjects.includes(subject))) {
    return 'approvers';
  }
  if (startedBy !== undefined && isOnePerson(startedBy, caller)) return 'four-eyes';
  return votes.some(({ by }) => isOnePerson(by, caller)) ? 'voted' : undefined;
}

/** One person may use several clients; a client that acts for itself is a person of its own. */
export function isOnePerson(one: Person, other: Person): boolean {
  if (one.subject !== undefined && other.subject !== undefined) return one.subject === other.subject;
  return one.client === other.client;
}

function addressedIn(message: Message, open: readonly OpenQuestion[]): readonly Addressed[] | Verdict {
  const { parts } = message;
  const named = questionIdOf(message);
  if (named !== undefined) {
    const question = open.find(({ id }) => id === named);
    return question === undefined ? { kind: 'unknown' } : [{ question, parts }];
  }
  const several = severalIn(message, open);
  if (several !== undefined) return several.length === 0 ? { kind: 'unknown' } : several;
  const [only] = open;
  if (open.length === 1 && only !== undefined) return [{ question: only, parts }];
  const referred = open.filter(({ taskId }) => message.referenceTaskIds?.includes(taskId) === true);
  const [one] = referred;
  if (referred.length === 1 && one !== undefined) return [{ question: one, parts }];
  const description = `names none of the ${String(open.length)} open questions`;
  return {
    kind: 'again',
    because: `Which question is this the answer to? Please send its id as questionId.`,
    violations: [{ field: NAMED_QUESTION, description }],
  };
}

/** The id of the question that a message names. */
export function questionIdOf({ metadata }: Message): string | undefined {
  const entry = metadata?.[QUESTIONS_EXTENSION];
  const id: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'questionId') : undefined;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Answers to several questions by their ids, without those of questions that are open no longer; undefined when the
 * message has none, or its members are not ids.
 */
function severalIn({ parts }: Message, open: readonly OpenQuestion[]): readonly Addressed[] | undefined {
  const byId = new Map(open.map((question) => [question.id, question]));
  for (const part of parts) {
    const answers: unknown = 'data' in part && isObject(part.data) ? Reflect.get(part.data, 'answers') : undefined;
    if (!isObject(answers)) continue;
    const entries = Object.entries(answers);
    const addressed = entries.flatMap(([id, value]) => {
      const question = byId.get(id);
      return question === undefined ? [] : [{ question, parts: [partOf(value)] }];
    });
    if (entries.length > 0 && entries.every(([id]) => QUESTION_ID.test(id))) return addressed;
  }
  return undefined;
}

function partOf(value: unknown): Message['parts'][number] {
  return typeof value === 'string' ? { text: value } : { data: value };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
