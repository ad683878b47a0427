import type { JsonObject } from '../protocol/json.js';
import type { TraceCarrier } from '../platform/tracing/trace-carrier.js';

/** What a task has begun with, as far as its next message is checked against it. */
export interface BegunTask {
  /** '' for a task that no skill took. */
  readonly skillId: string;
  readonly metadata: JsonObject;
}

/** What a message brings to the turn that it begins, beside itself. */
export interface NextTurn {
  /** The place in the caller's trace from which queue and worker continue. */
  readonly trace?: TraceCarrier;
  /** Absent: those asked for before hold on. */
  readonly acceptedOutputModes?: readonly string[];
  /** All of the task's metadata from now on; absent: it stays. */
  readonly metadata?: JsonObject;
  /** A webhook that hears of what follows; it is stored with the message, or not at all (A2A-IDEM-02). */
  readonly push?: NextWebhook;
}

export interface NextWebhook {
  readonly id: string;
  /** As `PushConfigs.prepare` makes it. */
  readonly record: string;
  /** Webhooks that the task may have, with this one. */
  readonly most: number;
}
