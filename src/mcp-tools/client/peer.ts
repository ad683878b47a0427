import type { JsonObject } from '@parley/protocol/model/json.js';

/** Progress as the protocol reports it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** One request to a tool server. */
export interface PeerCall {
  readonly method: string;
  readonly params: JsonObject;
  /** What the request names, for the header that repeats it. */
  readonly name?: string;
  /** Headers that repeat arguments (`x-mcp-header`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Capabilities of this client for the request; in a session they are those of its start. */
  readonly capabilities?: JsonObject;
  /** Aborting it cancels the request at the server. */
  readonly signal?: AbortSignal | undefined;
  /** Until the result, ms. */
  readonly timeoutMs: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The stateless revision, or those with a handshake. */
export type Era = 'modern' | 'legacy';

/** A connection to one tool server with one credential. */
export interface Peer {
  /** False once it is broken for good: another one must be opened. */
  readonly isOpen: boolean;
  /** Sends a request and resolves with its result. @throws ToolError, or the reason of the signal */
  call(call: PeerCall): Promise<JsonObject>;
  /** Called when the server says that its tools have changed. */
  onChange(changed: () => void): void;
  close(): Promise<void>;
}

/** This client, as servers see it. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** What a server may send, in bytes and counts. */
export interface PeerBounds {
  /** One answer, or one event of a stream. */
  readonly message: number;
  /** All of a stream. */
  readonly stream: number;
  /** Messages of a stream. */
  readonly messages: number;
}

export const PEER_BOUNDS: PeerBounds = { message: 17 * 1_048_576, stream: 32 * 1_048_576, messages: 10_000 };
