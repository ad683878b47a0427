import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { AskingState } from '@parley/protocol/extension/questions.js';
import type { JournalEntry } from '../record/journal-entries.js';
import type { MessageSender } from '../questions/sender.store.js';
import type { CallTrace } from '../../platform/tracing/trace-carrier.js';

/** The facts of a task for checking its next message. */
export interface BegunTask {
  /** '' for a task without a skill. */
  readonly skillId: string;
  readonly metadata: JsonObject;
  /** The root of its tree: itself, unless it is a child. */
  readonly root: string;
  /** Whether it, or a task of the tree of which it is the root, may have open questions. */
  readonly asks: boolean;
  /** The child to which its conversation was last handed over. */
  readonly handedTo?: string;
  readonly contextId: string;
  /** The task's record of the message in question. */
  readonly known: KnownMessage;
}

/** The task's record of a message before it is accepted: whether its id was used before. */
export interface KnownMessage {
  /** The id: that of the message, or a derived one if it has none. */
  readonly messageId: string;
  /** Mark of the accepted message with this id: see `isMarkOf`. */
  readonly mark?: string;
  /** Likewise, if that message began the task. */
  readonly firstMark?: string;
  /** The task's state at that time, for replicas. */
  readonly seq: number;
  readonly rev: number;
}

/** A message to look up in a task. */
export interface AskedMessage {
  readonly messageId: string;
  /** The identity of a message that begins a task (`NewTask.digest`). */
  readonly digest: string;
  /**
   * Whether its id is derived from its content, since its protocol has none: after the next question the same words are
   * another message.
   */
  readonly isUnnamed: boolean;
}

/** The additions of a message to the turn that it starts. */
export interface NextTurn {
  /** The caller's trace context, which queue and worker continue. */
  readonly trace?: CallTrace;
  /** Absent: the previous ones stay. */
  readonly acceptedOutputModes?: readonly string[];
  /** All metadata of the task from now on; absent: unchanged. */
  readonly metadata?: JsonObject;
  /** The caller that sent the message; absent: the message has no known sender. */
  readonly sender?: MessageSender;
  /** A webhook for the following events; stored with the message in one step, or not at all (A2A-IDEM-02). */
  readonly push?: NextWebhook;
  /** The message's relation to the open questions of the tree, if these were read. */
  readonly judged?: JudgedMessage;
  /** The identity of a repeat; absent: its id. */
  readonly knownAs?: string;
}

export interface NextWebhook {
  readonly id: string;
  /** From `PushConfigs.prepare`. */
  readonly record: string;
  /** Maximum webhooks of the task, including this one. */
  readonly most: number;
}

/**
 * The relation of a message to open questions: none, answers, or the reason to ask again. 'unknown': it names one that
 * is not open.
 */
export type JudgedMessage =
  | { readonly kind: 'none' | 'unknown' }
  /**
   * It is for the task that has the conversation. `hasRead`: the open questions were read, and it answers none of them.
   */
  | { readonly kind: 'handed'; readonly to: string; readonly hasRead: boolean }
  /** It answers the question that ended this turn, or is refused. */
  | { readonly kind: 'turn'; readonly turn: number }
  | {
      readonly kind: 'answers';
      readonly ids: readonly string[];
      readonly answers: readonly TaskAnswers[];
      /** The task's new status when none of them decides its question yet: it is asked again. */
      readonly again?: { readonly state: AskingState; readonly message: Message };
    }
  | { readonly kind: 'again'; readonly state: AskingState; readonly message: Message };

/** The answers for one task. */
export interface TaskAnswers {
  readonly taskId: string;
  /** Its open questions as read, and the remaining ones, in the form of its record. */
  readonly seen: string;
  readonly left: string;
  /**
   * `ask`: entries of its journal; `turn`: one, whose value is the message of its next turn; `vote`: none, since other
   * persons must give the same answer.
   */
  readonly how: 'ask' | 'turn' | 'vote';
  readonly entries: readonly JournalEntry[];
}
