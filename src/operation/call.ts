import type { Context } from '@opentelemetry/api';
import type { CallLifetime } from '../security/auth/call-lifetime.js';
import type { Principal } from '../security/auth/principal.js';
import type { LegacyTerms } from '@parley/protocol/model/legacy.js';
import type { AnswerRoom } from '../task/record/snapshot.js';
import type { JournalEntry } from '../task/record/journal-entries.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';

/** The end of a stream to a client: by its task, by the client, by a stalled reader, or by shutdown. */
export type StreamEnd = 'ended' | 'gone' | 'stalled' | 'leaving';

/** The facts of a call for its log line and span; filled in while the call runs. */
export interface CallFacts {
  /** By which caller, gateway and log name the request. */
  readonly requestId: string;
  /** The name by which the caller asked, in a binding that has names of its own. */
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
  /** URIs of the extensions that the caller asks for (A2A-EXT-02). */
  readonly extensions: readonly string[];
  /** Requests of an older protocol version that have no v1 param. */
  readonly legacy?: LegacyTerms | undefined;
  /** The caller's network address, for the audit log. */
  readonly address: string;
  /** Where the answer is held until its caller has taken it. */
  readonly room?: AnswerRoom;
  /** Adds response headers, such as the remaining rate. */
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void;
  /** Ends when the caller disconnects, or when its credential has expired. */
  readonly presence: Pick<CallLifetime, 'signal' | 'whenGone'>;
  /** The trace context of the call: its own span if recorded, else the caller's `traceparent`. */
  readonly trace: Context;
  readonly facts: CallFacts;
  /** Results of steps of another task, which the task that its message begins takes over. */
  readonly journal?: readonly JournalEntry[];
  /** The task that its message repeats, by the console's word. */
  readonly rerunOf?: string;
  /** Whether the caller answers a question for the owner of its task. */
  readonly isOnBehalf?: boolean;
  /** Whether its answer waits for the audit lines of its turn, by `AuditLog.afterLines`; absent: it does not. */
  readonly answersAfterLines?: boolean;
  /** Whether what the call brought is large: each long piece of work on it gets a turn of the event loop of its own. */
  readonly isLarge?: boolean;
  /** Called once what the call brought is stored: it may wait for long after that. */
  readonly stored?: () => void;
  /** Milliseconds that the call may wait for its task; absent: as long as the operation waits. */
  readonly waitMs?: number;
  /** Adds the time at which the task was created to its metadata, as `urn:parley:created-at`. */
  readonly asksCreation?: boolean;
  /** `<seq>-<nonce>` of the last event that a reconnecting stream has seen. */
  readonly lastEventId?: string | undefined;
}
