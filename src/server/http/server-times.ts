/**
 * How long connections may be slow, in milliseconds: whoever sends nothing, sends drop by drop or reads nothing is cut,
 * and holds no more than a socket until then.
 */
export interface ServerTimes {
  /** Until all headers of a request have come. */
  readonly headersMs: number;
  /** Until all of a request has come. */
  readonly requestMs: number;
  /** Without a byte in either direction, in the midst of an answer. Event streams have their heartbeat. */
  readonly silenceMs: number;
  /** Between two requests of a connection; longer than balancers keep theirs, so that none is cut in mid-request. */
  readonly idleMs: number;
  /** How often the first two are looked at. */
  readonly checkMs: number;
  /** gRPC: after so long without a sign of life a peer is asked for one, and has as long to give it. */
  readonly pingMs: number;
}

/** @param blockingMs how long a call may wait for its answer, in which nothing is sent either way */
export function serverTimes(blockingMs: number): ServerTimes {
  return {
    headersMs: 10_000,
    requestMs: 30_000,
    silenceMs: blockingMs + 30_000,
    idleMs: 65_000,
    checkMs: 5_000,
    pingMs: 30_000,
  };
}
