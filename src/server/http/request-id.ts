import { randomFillSync } from 'node:crypto';

/** The header that names a request from gateway to gateway, and in our log. */
export const REQUEST_ID_HEADER = 'x-request-id';

const FIT = /^[\w.:/+=@-]{1,128}$/;

/** The name that the caller or its gateway gave the request, where it is fit for a log; else a new one. */
export function requestIdOf(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && FIT.test(given) ? given : newRequestId();
}

const ID_BYTES = 16;
const pool = Buffer.alloc(256 * ID_BYTES);
let next = pool.length;

/** 32 random hexadecimal digits, as OpenTelemetry's trace ids. `randomUUID` puts its text together from twenty pieces, which costs three times as much. */
function newRequestId(): string {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const from = next;
  next += ID_BYTES;
  return pool.toString('hex', from, next);
}
