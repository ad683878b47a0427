import type { Principal } from '../auth/principal.js';
import type { LegacyTerms } from '../protocol/legacy.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';

/** One call as an operation sees it: who calls, and how, whatever binding it came in by. */
export interface Call {
  readonly principal: Principal;
  /** Under this name tasks are kept: the tenant, and who owns things within it. */
  readonly owner: string;
  readonly version: ProtocolVersion;
  /** URIs of the extensions that the caller asks for (A2A-EXT-02). */
  readonly extensions: readonly string[];
  /** What a call of an older version asks for and its params cannot say. */
  readonly legacy?: LegacyTerms;
  /** The caller's network address, for the audit log. */
  readonly address: string;
  /** Takes headers for the answer, such as what is left of a rate. */
  readonly tell: (headers: Readonly<Record<string, string>>) => void;
  /** Ends when the caller has gone away, or may not stay. */
  readonly signal: AbortSignal;
  readonly traceparent?: string;
  /** `<seq>-<nonce>` of the last event that a reconnecting stream has seen. */
  readonly lastEventId?: string;
}
