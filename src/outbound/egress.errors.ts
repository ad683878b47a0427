import type { BlockReason } from './egress-policy.js';

/** The request was not sent because its target is not allowed. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'blocked_address';

  constructor(readonly reason: BlockReason) {
    super(`This target may not be called (${reason})`);
  }
}

/** The step of a request that timed out; `total` covers everything, including a slow body. */
export type EgressPhase = 'dns' | 'connect' | 'headers' | 'total';

/** The target did not answer in time. */
export class EgressTimeoutError extends Error {
  override readonly name = 'EgressTimeoutError';
  readonly code = 'timeout';

  constructor(
    readonly phase: EgressPhase,
    options?: ErrorOptions,
  ) {
    super(`The target did not answer in time (${phase})`, options);
  }
}

/** The step at which a request failed. */
export type TransportFault = 'dns' | 'connect' | 'tls' | 'reset' | 'protocol';

/** Communication with the target failed: name, port, certificate or HTTP. */
export class EgressTransportError extends Error {
  override readonly name = 'EgressTransportError';

  constructor(
    readonly code: TransportFault,
    options: ErrorOptions,
  ) {
    super(`The target could not be reached (${code})`, options);
  }
}
