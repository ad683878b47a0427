import type { JsonObject } from '@parley/protocol/model/json.js';
import type { RawPart, UrlPart } from '@parley/protocol/model/message.js';
import type { Answerer, Approvers } from '@parley/protocol/extension/questions.js';
import type { Content } from '../events.js';

export type { Approvers } from '@parley/protocol/extension/questions.js';

/** Behaviour when no answer comes in time: the task fails or is rejected, or continues with a value. */
export type OnTimeout = 'fail' | 'reject' | { readonly value: unknown };

export interface Question {
  /** The text that callers read, or parts. */
  readonly question: Content;
  /** Schema of the answer: JSON Schema 2020-12, or a class with class-validator decorators. Another answer is asked for again. */
  readonly schema?: JsonObject | (new () => object);
  /** Callers that may answer; others are refused. Default: every caller who may continue the task. */
  readonly approvers?: Approvers;
  /** How long it may be answered. Default: as long as a task waits for an answer (30 days). */
  readonly timeoutMs?: number;
  /** Default `fail`. */
  readonly onTimeout?: OnTimeout;
  /** The caller must log in or consent elsewhere (AUTH_REQUIRED): streams stay open meanwhile. */
  readonly auth?: boolean;
  /**
   * Takes the question back when it is fulfilled, and its value is then that of the answer: for a login or a consent that the skill sees
   * by itself: with `waitFor`, `call`, or `sleep` and `step`. The task keeps the state of the question until then.
   */
  readonly until?: PromiseLike<unknown>;
}

/** An answer to a question. */
export interface Answer<Value = unknown> {
  /**
   * The value that the schema accepted; without a schema the first data value, or the text. The value of `onTimeout`
   * or `until` where none came.
   */
  readonly value: Value;
  readonly isTimeout: boolean;
  /** `until` was fulfilled before an answer came. */
  readonly isWithdrawn?: true;
  /** Its text parts, joined by line breaks. */
  readonly text: string;
  /** Values of its data parts. */
  readonly data: readonly unknown[];
  /** Its raw and url parts. */
  readonly files: readonly (RawPart | UrlPart)[];
  /** Caller that answered; absent after a timeout. */
  readonly sender?: Answerer;
  /** When, ms since 1970; absent after a timeout. */
  readonly answeredAt?: number;
}

/**
 * Asks the caller, and resolves with the answer. The task waits meanwhile and holds nothing; the question of a child is
 * shown by its root too. @throws `QuestionTimedOut`, or `SkillRejection`, where none comes in time
 */
export type Ask = <Value = unknown>(question: Question | string) => Promise<Answer<Value>>;
