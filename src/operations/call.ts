import type { Context } from '@opentelemetry/api';
import type { CallLifetime } from '../auth/call-lifetime.js';
import type { Principal } from '../auth/principal.js';
import type { LegacyTerms } from '@parley/protocol/model/legacy.js';
import type { AnswerRoom } from '../tasks/record/snapshot.js';
import type { JournalEntry } from '../tasks/record/journal-entries.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';

/** The reason why a stream to a client ended: its task, the client, a stalled reader, or shutdown. */
export type StreamEnd = 'ended' | 'gone' | 'stalled' | 'leaving';

/** The facts of a call for its log line and span; filled in while the call runs. */
export interface CallFacts {
  /** Id of the request for caller, gateway and log. */
  readonly requestId: string;
  /** The name of the operation in a binding with names of its own. */
  method?: string;
  taskId?: string;
  contextId?: string;
  /** The parties that the subject of the token has delegated to, the latest first (`act`, RFC 8693). */
  actors?: readonly string[];
  /** How a stream ended and how many events it had. */
  stream?: { readonly how: StreamEnd; readonly events: number };
}

/** One call as operations see it: caller, version and headers, independent of the binding. */
export interface Call {
  readonly principal: Principal;
  /** Owner of the call's tasks: the tenant, and the client or subject within it. */
  readonly owner: string;
  readonly version: ProtocolVersion;
  /** URIs of the extensions that the caller requests (A2A-EXT-02). */
  readonly extensions: readonly string[];
  /** Requests of an older protocol version that have no v1 param. */
  readonly legacy?: LegacyTerms | undefined;
  /** The caller's network address, for the audit log. */
  readonly address: string;
  /** The budget share of the answer until its caller has received it. */
  readonly room?: AnswerRoom;
  /** Adds response headers, such as the remaining rate. */
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void;
  /** Ends when the caller disconnects, or when its credential has expired. */
  readonly presence: Pick<CallLifetime, 'signal' | 'whenGone'>;
  /** The trace context of the call: its own span if recorded, else the caller's `traceparent`. */
  readonly trace: Context;
  readonly facts: CallFacts;
  /** Results of steps of another task, for the task that its message begins. */
  readonly journal?: readonly JournalEntry[];
  /** The task that its message reruns, set by the console. */
  readonly rerunOf?: string;
  /** Whether the caller answers a question for the owner of its task. */
  readonly isOnBehalf?: boolean;
  /** Whether the answer waits for the audit lines of its turn, by `AuditLog.afterLines`; default: it does not. */
  readonly answersAfterLines?: boolean;
  /** Whether the call's input is large: each long piece of work on it gets a turn of the event loop of its own. */
  readonly isLarge?: boolean;
  /** Called once the call's input is stored: the call may wait for long after that. */
  readonly stored?: () => void;
  /** Milliseconds that the call may wait for its task; absent: the default of the operation. */
  readonly waitMs?: number;
  /** Adds the task's creation time to its metadata, as `urn:parley:created-at`. */
  readonly asksCreation?: boolean;
  /** `<seq>-<nonce>` of the last event that a reconnecting client received. */
  readonly lastEventId?: string | undefined;
}
