/**
 * Timeouts of slow connections, in milliseconds: a client that sends nothing, sends very slowly or reads nothing is
 * disconnected, and holds only a socket until then.
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
  /** Check interval of the first two. */
  readonly checkMs: number;
  /** gRPC keepalive: a silent peer is pinged after this time, and has as long to reply. */
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
