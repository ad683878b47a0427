import { randomUUID } from 'node:crypto';

/** The header that names a request from gateway to gateway, and in our log. */
export const REQUEST_ID_HEADER = 'x-request-id';

const FIT = /^[\w.:/+=@-]{1,128}$/;

/** The name that the caller or its gateway gave the request, where it is fit for a log; else a new one. */
export function requestIdOf(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && FIT.test(given) ? given : newRequestId();
}

/** 32 hexadecimal digits, as OpenTelemetry's trace ids. Of a UUID: Node keeps random bytes for these, and asks the system for others each time. */
function newRequestId(): string {
  return randomUUID().replaceAll('-', '');
}
