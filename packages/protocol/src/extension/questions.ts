import type { JsonObject } from '../model/json.js';
import type { Message, Part } from '../model/message.js';

/** The extension by which a status message lists open questions, and a message says which of them it answers. */
export const QUESTIONS_EXTENSION = 'urn:parley:extension:questions:1';

/** Reason why a task waits: for an answer, or for a login or consent elsewhere. */
export type AskingState = 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_AUTH_REQUIRED';

/** Callers that may answer a question: those with all the named properties. */
export interface Approvers {
  /** Whether the caller that began the task may not answer. Two callers are one person if they act for one subject. */
  readonly fourEyes?: boolean;
  /** How many different persons must give the same answer, at most 5; default 1. */
  readonly count?: number;
  /** Scopes that the credential must all have. */
  readonly scopes?: readonly string[];
  /** Persons or services that clients act for; one of them. */
  readonly subjects?: readonly string[];
  /** Clients; one of them. */
  readonly clients?: readonly string[];
}

/** A question as it is asked. */
export interface QuestionSpec {
  readonly parts: readonly Part[];
  readonly state: AskingState;
  /** JSON Schema 2020-12 of the answer; absent: any answer. */
  readonly schema?: JsonObject;
  readonly approvers?: Approvers;
  /** How long it may be answered, ms; absent: as long as a task waits for an answer. */
  readonly timeoutMs?: number;
}

/** A question that waits for its answer. */
export interface OpenQuestion extends Omit<QuestionSpec, 'timeoutMs'> {
  /** `<task>:<turn>.<call>`; of a task whose turn ended with the question `<task>:<turn>`. */
  readonly id: string;
  readonly taskId: string;
  readonly skillId: string;
  /** The skills and calls from the root to the task. */
  readonly path: string;
  /** How the task gets its answer: as the result of `ask`, or as the message of its next turn. */
  readonly how: 'ask' | 'turn';
  /** When it can be answered no longer, ms since 1970. */
  readonly until: number;
  /** The caller that began the task, where it may not answer. */
  readonly startedBy?: Person;
  /** The equal answers so far, where several persons must give one. */
  readonly votes?: readonly Vote[];
}

/** A caller as far as two callers are compared. */
export type Person = Pick<Answerer, 'client' | 'subject'>;

/** An answer that does not decide its question yet. */
export interface Vote {
  readonly by: Person;
  readonly value: unknown;
  /** Ms since 1970. */
  readonly at: number;
}

/** The caller of an answer. */
export interface Answerer {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  readonly scopes?: readonly string[];
}

/** An answer as its task stores it. */
export interface StoredAnswer {
  readonly messageId: string;
  readonly parts: readonly Part[];
  /** The value that the schema of the question accepted; without a schema the first data value, or the text. */
  readonly value: unknown;
  readonly sender?: Answerer | undefined;
  /** Ms since 1970. */
  readonly at: number;
  /** Everybody that has given it, where the question asks for several persons; the sender is the last one. */
  readonly givenBy?: readonly (Person & { readonly at: number })[];
}

/** The schema of the form that a message of an agent has in a data part: as `form.schema`, as `schema`, or the part is the schema. */
export function formSchemaIn(parts: readonly object[] | undefined): JsonObject | undefined {
  for (const part of parts ?? []) {
    const data = memberOf(part, 'data');
    const schema = [memberOf(memberOf(data, 'form'), 'schema'), memberOf(data, 'schema')].find(isObject);
    if (schema !== undefined) return schema;
    if (isObject(data) && data.type === 'object' && isObject(data.properties)) return data;
  }
  return undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entry of the extension in the metadata of a stored message: the questions that it has answered. */
export function answeredBy({ metadata }: Pick<Message, 'metadata'>): readonly string[] {
  const entry = metadata?.[QUESTIONS_EXTENSION];
  if (typeof entry !== 'object' || entry === null || !('answered' in entry)) return [];
  const { answered } = entry;
  return Array.isArray(answered) ? answered.filter((id): id is string => typeof id === 'string') : [];
}

/** A message with that entry, or without one: only the service states which question a message has answered. */
export function withAnswered<M extends Pick<Message, 'metadata'>>(message: M, answered: readonly string[]): M {
  const entry = message.metadata?.[QUESTIONS_EXTENSION];
  const own = typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? entry : {};
  if (answered.length === 0 && !('answered' in own)) return message;
  const { answered: _claimed, ...rest } = own as { readonly answered?: unknown };
  const next = answered.length === 0 ? rest : { ...rest, answered };
  return { ...message, metadata: { ...message.metadata, [QUESTIONS_EXTENSION]: next } };
}
