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
  /** The named object of the request, for the header that repeats it. */
  readonly name?: string;
  /** Headers that repeat arguments (`x-mcp-header`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Capabilities of this client for the request; in a session they are those of its start. */
  readonly capabilities?: JsonObject;
  /** Aborting it cancels the request at the server. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the result, ms. */
  readonly timeoutMs: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The stateless revision, or those with a handshake. */
export type Era = 'modern' | 'legacy';

/** A connection to one tool server with one credential. */
export interface Peer {
  /** False once it is permanently broken: another one must be opened. */
  readonly isOpen: boolean;
  /** Sends a request and resolves with its result. @throws ToolError, or the reason of the signal */
  call(call: PeerCall): Promise<JsonObject>;
  /** Called when the server reports changed tools. */
  onChange(changed: () => void): void;
  close(): Promise<void>;
}

/** This client's identity towards servers. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** Bounds of a server's output, in bytes and counts. */
export interface PeerBounds {
  /** One answer, or one event of a stream. */
  readonly message: number;
  /** A whole stream. */
  readonly stream: number;
  /** Messages of a stream. */
  readonly messages: number;
}

export const PEER_BOUNDS: PeerBounds = { message: 17 * 1_048_576, stream: 32 * 1_048_576, messages: 10_000 };
