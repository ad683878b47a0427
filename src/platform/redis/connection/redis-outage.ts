import { ReplyError } from 'ioredis';

/** Plain errors of the client library, and replies that mean that Redis is unavailable. */
const OUTAGES = [
  'Connection is closed',
  'Command timed out',
  'Stream isn',
  'READONLY',
  'LOADING',
  'BUSY Redis',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'NOREPLICAS',
  'max number of clients reached',
  // A password that was changed at the server first.
  'NOAUTH',
  'WRONGPASS',
  // A failover of a Cluster that takes longer than a caller waits.
  'TRYAGAIN',
  'MOVED ',
  'Too many Cluster redirections',
  "Cluster isn't ready",
  'None of startup nodes is available',
  'All sentinels are unreachable',
  // Full memory, full disk.
  'OOM command not allowed',
  'MISCONF',
];
const CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'];
/** The class of all errors of the client library's own; of those, a `ReplyError` is an answer of Redis. */
const RedisError = Object.getPrototypeOf(ReplyError) as new () => Error;

/** Whether a failed command means that Redis is unavailable: lost connection, failover or lack of memory. */
export function isRedisOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'NotReplicated' || (error instanceof RedisError && !(error instanceof ReplyError))) return true;
  if (CODES.includes((error as NodeJS.ErrnoException).code ?? '')) return true;
  return OUTAGES.some((text) => error.message.includes(text)) || previousOf(error).some(isRedisOutage);
}

/** The replies for which a transaction was discarded. */
function previousOf(error: object): readonly unknown[] {
  const { previousErrors } = error as { previousErrors?: unknown };
  return Array.isArray(previousErrors) ? previousErrors : [];
}
