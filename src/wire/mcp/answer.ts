import type { JsonObject } from '../../protocol/json.js';
import type { Message } from '../../protocol/message.js';
import { isJsonObject } from '../json-value.js';
import { fitsForm } from './form.js';
import { type Question, QUESTIONS_EXTENSION } from './question.js';

/** What a client has answered to the open questions of a task. */
export type Answers =
  /** Fitting answers by key, and the questions that none of them answers. */
  | { readonly kind: 'given'; readonly given: ReadonlyMap<string, JsonObject>; readonly open: readonly Question[] }
  /** A person has refused to answer. */
  | { readonly kind: 'declined' }
  /** A person has closed the question: it stays open. */
  | { readonly kind: 'left' };

/** Sorts responses by what they are; keys that are not open and answers that do not fit count as not given. */
export function readAnswers(questions: readonly Question[], responses: JsonObject): Answers {
  const given = new Map<string, JsonObject>();
  for (const question of questions) {
    const response = responses[question.key];
    if (!isJsonObject(response)) continue;
    if (response.action === 'decline') return { kind: 'declined' };
    if (response.action === 'cancel') return { kind: 'left' };
    if (response.action !== 'accept') continue;
    if (question.mode === 'url') given.set(question.key, {});
    else if (fitsForm(question.schema, response.content)) given.set(question.key, response.content);
  }
  return { kind: 'given', given, open: questions.filter(({ key }) => !given.has(key)) };
}

/**
 * The parts and metadata of the message that gives answers to a task. One answer is its own content: data where the skill
 * gave a schema, else a text. Several are data by the ids of their questions.
 */
export function answerContent(
  questions: readonly Question[],
  given: ReadonlyMap<string, JsonObject>,
): Pick<Message, 'parts' | 'metadata'> {
  const answered = questions.filter(({ key }) => given.has(key));
  const [only] = answered;
  if (only !== undefined && answered.length === 1) {
    const content = given.get(only.key) ?? {};
    const metadata = { [QUESTIONS_EXTENSION]: { questionId: only.key } };
    if (only.mode === 'form' && !only.isTyped) return { parts: [{ text: String(content.answer) }], metadata };
    return { parts: [{ data: content, mediaType: 'application/json' }], metadata };
  }
  const answers = Object.fromEntries(answered.map(({ key }) => [key, given.get(key)]));
  const questionIds = answered.map(({ key }) => key);
  return {
    parts: [{ data: { answers }, mediaType: 'application/json' }],
    metadata: { [QUESTIONS_EXTENSION]: { questionIds } },
  };
}
