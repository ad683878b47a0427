import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { AskingState } from '@parley/protocol/extension/questions.js';
import type { JournalEntry } from '../record/journal-entries.js';
import type { MessageSender } from '../questions/sender.store.js';
import type { CallTrace } from '../../platform/tracing/trace-carrier.js';

/** The facts of a task that its next message is checked against. */
export interface BegunTask {
  /** '' for a task that no skill took. */
  readonly skillId: string;
  readonly metadata: JsonObject;
  /** The root of its tree: itself, unless it is a child. */
  readonly root: string;
  /** Whether it, or a task of the tree of which it is the root, has asked questions that may be open. */
  readonly asks: boolean;
  /** The child to which its conversation was handed over last. */
  readonly handedTo?: string;
  readonly contextId: string;
  /** What is known of the message that was asked about. */
  readonly known: KnownMessage;
}

/** What a task knows of a message before it is taken in: whether its id was taken before. */
export interface KnownMessage {
  /** The id: that of the message, or the one that it has where it came without one. */
  readonly messageId: string;
  /** Of the message that was taken under this id: see `isMarkOf`. */
  readonly mark?: string;
  /** Likewise, where that message has begun the task. */
  readonly firstMark?: string;
  /** How the task was then, for replicas. */
  readonly seq: number;
  readonly rev: number;
}

/** A message to ask a task about. */
export interface AskedMessage {
  readonly messageId: string;
  /** By what a message is known that begins a task (`NewTask.digest`). */
  readonly digest: string;
  /** Its id is made of its content, since the protocol has none: after the next question the same words are another message. */
  readonly isUnnamed: boolean;
}

/** The additions of a message to the turn that it starts. */
export interface NextTurn {
  /** The caller's trace context, which queue and worker continue. */
  readonly trace?: CallTrace;
  /** Absent: those asked for before hold on. */
  readonly acceptedOutputModes?: readonly string[];
  /** All of the task's metadata from now on; absent: it stays. */
  readonly metadata?: JsonObject;
  /** The caller that sent the message; absent: the message has no known sender. */
  readonly sender?: MessageSender;
  /** A webhook for the following events; stored with the message in one step, or not at all (A2A-IDEM-02). */
  readonly push?: NextWebhook;
  /** What the message is to the open questions of the tree, where these were read. */
  readonly judged?: JudgedMessage;
  /** By what its repetition is known; absent: by its id. */
  readonly knownAs?: string;
}

export interface NextWebhook {
  readonly id: string;
  /** As `PushConfigs.prepare` makes it. */
  readonly record: string;
  /** Webhooks that the task may have, with this one. */
  readonly most: number;
}

/** What a message is to open questions: nothing, answers, or the reason to ask again. 'unknown': it names one that is not open. */
export type JudgedMessage =
  | { readonly kind: 'none' | 'unknown' }
  /** It is for the task that has the conversation. Whether the open questions were read: it answers none of them. */
  | { readonly kind: 'handed'; readonly to: string; readonly hasRead: boolean }
  /** It answers the question with which this turn has ended, or is not taken. */
  | { readonly kind: 'turn'; readonly turn: number }
  | {
      readonly kind: 'answers';
      readonly ids: readonly string[];
      readonly answers: readonly TaskAnswers[];
      /** What the task says where none of them decides its question yet: it is asked again. */
      readonly again?: { readonly state: AskingState; readonly message: Message };
    }
  | { readonly kind: 'again'; readonly state: AskingState; readonly message: Message };

/** The answers that one task gets. */
export interface TaskAnswers {
  readonly taskId: string;
  /** Its open questions as they were read, and those that are left, as its record has them. */
  readonly seen: string;
  readonly left: string;
  /**
   * `ask`: entries of its journal; `turn`: one, whose value is the message of its next turn; `vote`: none, since other persons
   * must give the same answer.
   */
  readonly how: 'ask' | 'turn' | 'vote';
  readonly entries: readonly JournalEntry[];
}
