import type { BlockReason } from './egress-policy.js';

/** The request was not sent, because its target is not one that this service may call. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'blocked_address';

  constructor(readonly reason: BlockReason) {
    super(`This target may not be called (${reason})`);
  }
}

/** The step of a request whose time ran out; `total` covers everything, a slow body included. */
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

/** Where a request broke. */
export type TransportFault = 'dns' | 'connect' | 'tls' | 'reset' | 'protocol';

/** The target could not be talked to: its name, its port, its certificate or its HTTP is broken. */
export class EgressTransportError extends Error {
  override readonly name = 'EgressTransportError';

  constructor(
    readonly code: TransportFault,
    options: ErrorOptions,
  ) {
    super(`The target could not be reached (${code})`, options);
  }
}
