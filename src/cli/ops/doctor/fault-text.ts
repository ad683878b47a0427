import { printableLine } from '@parley/protocol/json/printable.js';

interface Fault {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: Fault;
}

/** The reason of a failed request, from the cause: `fetch failed` alone is useless. */
export function faultText(error: unknown): string {
  const { message = String(error), cause } = error as Fault;
  const why = cause?.code ?? cause?.message;
  return printableLine(why === undefined || message.includes(why) ? message : `${message} (${why})`);
}
