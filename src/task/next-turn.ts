import type { JsonObject } from '../protocol/json.js';
import type { MessageSender } from './sender.store.js';
import type { TraceCarrier } from '../platform/tracing/trace-carrier.js';

/** The facts of a task that its next message is checked against. */
export interface BegunTask {
  /** '' for a task that no skill took. */
  readonly skillId: string;
  readonly metadata: JsonObject;
}

/** The additions of a message to the turn that it starts. */
export interface NextTurn {
  /** The caller's trace context, which queue and worker continue. */
  readonly trace?: TraceCarrier;
  /** Absent: those asked for before hold on. */
  readonly acceptedOutputModes?: readonly string[];
  /** All of the task's metadata from now on; absent: it stays. */
  readonly metadata?: JsonObject;
  /** The caller that sent the message; absent: the message has no known sender. */
  readonly sender?: MessageSender;
  /** A webhook for the following events; stored with the message in one step, or not at all (A2A-IDEM-02). */
  readonly push?: NextWebhook;
  /** Nothing is stored: a message that was not accepted before is `too-many-bytes`. */
  readonly isRepetition?: boolean;
}

export interface NextWebhook {
  readonly id: string;
  /** As `PushConfigs.prepare` makes it. */
  readonly record: string;
  /** Webhooks that the task may have, with this one. */
  readonly most: number;
}
