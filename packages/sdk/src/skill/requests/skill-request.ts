/** A request of a skill to another service. */
export interface SkillRequest {
  /** Default: POST with a body, GET without. */
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: string | Uint8Array;
  /** Sent as JSON, in place of `body`. */
  readonly json?: unknown;
  /** Limit of each attempt, ms; default 30,000. The deadline of the run ends all of them. */
  readonly timeoutMs?: number;
  /** Longest answer, bytes; default 10 MiB. A longer one is an error. */
  readonly maxBytes?: number;
  /** Most attempts; default 3. 1: no retry. */
  readonly attempts?: number;
  /** The receiver does a request with the same `Idempotency-Key` once: then a POST is retried like a GET. */
  readonly idempotent?: boolean;
}

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Requests another service: in the trace of the task, only to addresses that the operator allows, until `signal` aborts. Resolves with
 * every answer that is not retried, whatever its status. Throws `RequestFailed`, or the reason of the signal.
 */
export type SkillFetch = (url: string | URL, request?: SkillRequest) => Promise<Response>;

/** A request as it is sent once. */
export interface OutgoingRequest {
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** An answer that was read to its end. */
export interface IncomingAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Why a request has no answer. */
export type RequestFault =
  /** The operator does not allow the address. */
  | 'blocked'
  /** Nothing was sent: no such name, no connection. */
  | 'unreachable'
  /** The connection broke or was too slow once the request was on its way: it may have been done. */
  | 'broken'
  /** The answer is longer than `maxBytes`. */
  | 'too-large';

/**
 * Thrown when a request has no answer. After `broken`, check its effect before it is repeated. Uncaught, it is retried
 * with the turn, as any other error.
 */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';

  constructor(
    readonly fault: RequestFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Sends requests of skills. The service provides it. */
export interface SkillRequests {
  /** Throws `RequestFailed`, or the reason of the signal. */
  send(request: OutgoingRequest): Promise<IncomingAnswer>;
}

export const SkillRequests = Symbol('SkillRequests');

/** For skills outside of a service. */
export const NO_REQUESTS: SkillRequests = {
  send: () => Promise.reject(new RequestFailed('blocked', 'No requests are sent here; a test gives `fetch`')),
};
