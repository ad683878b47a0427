import type { JsonObject } from '../model/json.js';
import type { Message, Part } from '../model/message.js';
import { QUESTIONS_EXTENSION } from '../extension/questions.js';
import type { Task } from '../model/task.js';
import { isJsonObject } from '../json/json-value.js';
import { ANY_ANSWER, flatSchema } from './form.js';

/** The member of an answer's metadata that names the form of the message that it fills in; a list for several. */
export const FORM_MEMBER = 'urn:parley:form';

/** Questions of one message that are shown; a task that asks more asks again. */
const MAX_QUESTIONS = 16;

/** An open question of a task, as an elicitation. */
export type Question = FormQuestion | UrlQuestion;

interface FormQuestion {
  readonly mode: 'form';
  /** Unique for the life of the task (SEP-2663). */
  readonly key: string;
  readonly text: string;
  /** A flat schema of primitives. */
  readonly schema: JsonObject;
  /** Whether the task lists the question by this key (`ask`), or its message has a form. */
  readonly isListed: boolean;
  /** Whether the skill gave a schema; without one the answer is a text. */
  readonly isTyped: boolean;
}

interface UrlQuestion {
  readonly mode: 'url';
  readonly key: string;
  readonly text: string;
  readonly url: string;
}

/** Open questions of a task, or none (MCP-ASK-1). The id of the asking message makes keys unique. */
export function questionsIn({ status }: Task): readonly Question[] {
  const { state, message } = status;
  if (message === undefined) return [];
  if (state === 'TASK_STATE_AUTH_REQUIRED') return loginIn(message);
  if (state !== 'TASK_STATE_INPUT_REQUIRED') return [];
  const asked = [...declaredIn(message), ...formsIn(message)].slice(0, MAX_QUESTIONS);
  if (asked.length > 0) return asked;
  return [
    {
      mode: 'form',
      key: message.messageId,
      text: textOf(message),
      schema: ANY_ANSWER,
      isListed: false,
      isTyped: false,
    },
  ];
}

/** A question as the client is sent it (`elicitation/create`). */
export function elicitationOf(question: Question): JsonObject {
  const { mode, text: message, key } = question;
  const params =
    question.mode === 'form'
      ? { mode, message, requestedSchema: question.schema }
      : { mode, message, url: question.url, elicitationId: key };
  return { method: 'elicitation/create', params };
}

/** Questions that the message lists by id. */
function declaredIn(message: Message): readonly Question[] {
  const listed = message.metadata?.[QUESTIONS_EXTENSION];
  const questions = isJsonObject(listed) && Array.isArray(listed.questions) ? listed.questions : [];
  return questions.flatMap((one: unknown) => {
    if (!isJsonObject(one) || typeof one.id !== 'string') return [];
    const text = typeof one.text === 'string' ? one.text : textOf(message);
    return [{ ...form(one.id, text, one.schema), isListed: true }];
  });
}

/** Forms that the message has as data: `{ form: { id?, title?, schema } }`. */
function formsIn(message: Message): readonly Question[] {
  const forms = message.parts.flatMap(formOf);
  return forms.map(({ id, title, schema }, at) => {
    const key =
      typeof id === 'string' ? id : forms.length === 1 ? message.messageId : `${message.messageId}.${String(at)}`;
    const alone = textOf(message);
    const text = typeof title === 'string' && (forms.length > 1 || alone === '') ? title : alone;
    return form(key, text, schema);
  });
}

function formOf(part: Part): readonly JsonObject[] {
  const data: unknown = 'data' in part ? part.data : undefined;
  return isJsonObject(data) && isJsonObject(data.form) ? [data.form] : [];
}

function form(key: string, text: string, schema: unknown): FormQuestion {
  const flat = isJsonObject(schema) ? flatSchema(schema) : undefined;
  return { mode: 'form', key, text, schema: flat ?? ANY_ANSWER, isListed: false, isTyped: flat !== undefined };
}

/** An address of the message, to be opened by a person; none that is not https. */
function loginIn(message: Message): readonly Question[] {
  const named = message.parts.flatMap((part) => {
    if ('url' in part) return [part.url];
    const data: unknown = 'data' in part ? part.data : undefined;
    return isJsonObject(data) && typeof data.loginUrl === 'string' ? [data.loginUrl] : [];
  });
  const url = named.find((one) => one.startsWith('https://'));
  return url === undefined ? [] : [{ mode: 'url', key: message.messageId, text: textOf(message), url }];
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}
