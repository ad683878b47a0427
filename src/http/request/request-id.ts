import { randomUUID } from 'node:crypto';

/** The header with the request id, passed between gateways and logged. */
export const REQUEST_ID_HEADER = 'x-request-id';

const FIT = /^[\w.:/+=@-]{1,128}$/;

/** The id from the caller or its gateway if it is safe for a log; else a new one. */
export function requestIdOf(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && FIT.test(given) ? given : newRequestId();
}

/** 32 hexadecimal digits, as in OpenTelemetry's trace ids. From a UUID, for which Node caches random bytes. */
function newRequestId(): string {
  return randomUUID().replaceAll('-', '');
}
