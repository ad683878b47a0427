import type { JsonObject } from '../model/json.js';
import type { Message } from '../model/message.js';
import { QUESTIONS_EXTENSION } from '../extension/questions.js';
import { isJsonObject } from '../json/json-value.js';
import { fitsForm } from './form.js';
import { FORM_MEMBER, type Question } from './question.js';

const JSON_TYPE = 'application/json';

/** Answers of a client to the open questions of a task. */
export type Answers =
  /** Fitting answers by key, and the questions that none of them answers. */
  | { readonly kind: 'given'; readonly given: ReadonlyMap<string, JsonObject>; readonly open: readonly Question[] }
  /** A person has refused to answer. */
  | { readonly kind: 'declined' }
  /** A person has closed the question: it stays open. */
  | { readonly kind: 'left' };

/** Sorts responses by kind; keys that are not open and answers that do not fit count as not given. */
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
 * gave a schema, else a text. Several are data by the keys of their questions.
 */
export function answerContent(
  questions: readonly Question[],
  given: ReadonlyMap<string, JsonObject>,
): Pick<Message, 'parts' | 'metadata'> {
  const answered = questions.filter(({ key }) => given.has(key));
  const [only] = answered;
  if (only !== undefined && answered.length === 1) {
    const value = valueOf(only, given);
    const parts = typeof value === 'string' ? [{ text: value }] : [{ data: value, mediaType: JSON_TYPE }];
    return { parts, metadata: namesOf(only) };
  }
  const answers = Object.fromEntries(answered.map((question) => [question.key, valueOf(question, given)]));
  const forms = answered.filter((question) => question.mode === 'form' && !question.isListed).map(({ key }) => key);
  const metadata = forms.length === 0 ? {} : { metadata: { [FORM_MEMBER]: forms } };
  return { parts: [{ data: { answers }, mediaType: JSON_TYPE }], ...metadata };
}

/** How the message says which question it answers: a listed one by the extension, which the service checks. */
function namesOf(question: Question): JsonObject {
  const isListed = question.mode === 'form' && question.isListed;
  return isListed ? { [QUESTIONS_EXTENSION]: { questionId: question.key } } : { [FORM_MEMBER]: question.key };
}

function valueOf(question: Question, given: ReadonlyMap<string, JsonObject>): JsonObject | string {
  const content = given.get(question.key) ?? {};
  return question.mode === 'form' && !question.isTyped ? String(content.answer) : content;
}
