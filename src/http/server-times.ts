/**
 * Timeouts of slow connections, in milliseconds: a client that sends nothing, sends very slowly or reads nothing is
 * disconnected, and holds only a socket until then.
 */
export interface ServerTimes {
  /** Until all headers of a request have arrived. */
  readonly headersMs: number;
  /** Until the whole request has arrived. */
  readonly requestMs: number;
  /** Silence in both directions during an answer. Event streams have their heartbeat. */
  readonly silenceMs: number;
  /**
   * Between two requests of a connection; longer than balancers keep theirs, so that none is closed during a request.
   */
  readonly idleMs: number;
  /** Check interval of the first two. */
  readonly checkMs: number;
  /** gRPC keepalive: a silent peer is pinged after this time, and has as long to reply. */
  readonly pingMs: number;
}

/** @param blockingMs maximum wait of a call for its answer, without traffic in either direction */
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
