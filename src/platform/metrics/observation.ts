import type { A2AErrorName } from '../../protocol/errors.js';
import type { OperationName } from '../../protocol/operations.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';

/** One call that was answered, or one stream that has ended. */
export interface HandledCall {
  readonly binding: 'jsonrpc' | 'rest' | 'grpc';
  /** Absent when the caller's method is none of ours: its name would be a label that callers can make up. */
  readonly operation: OperationName | undefined;
  readonly dialect: ProtocolVersion;
  readonly outcome: 'ok' | A2AErrorName;
  readonly seconds: number;
}

/** One run of a skill that has ended. */
export interface EndedRun {
  readonly skill: string;
  /** A word of `RunSequel`. */
  readonly ending: string;
  readonly attempt: number;
  readonly seconds: number;
}

/** One attempt to deliver a webhook; the part of `push.attempted` that has bounded values. */
export interface PushedEvent {
  readonly outcome: string;
  readonly status?: number;
  readonly ms: number;
  /** Since the event was committed, where it says when that was. */
  readonly lagMs?: number;
}

/** The end of a stream to a client: by its task, by the client, by a stalled reader, or by shutdown. */
export type StreamEnd = 'ended' | 'gone' | 'stalled' | 'leaving';
