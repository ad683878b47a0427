const CONNECTION_FAULTS = [
  'Connection is closed',
  'Command timed out',
  'Stream isn',
  'READONLY',
  'LOADING',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'NOREPLICAS',
];
const FULL = ['OOM command not allowed', 'MISCONF'];

/** Whether a failed command says that Redis cannot be used now, by lost connection, failover or lack of memory. */
export function isRedisOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'ClusterAllFailedError') return true;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT') return true;
  return [...CONNECTION_FAULTS, ...FULL].some((text) => error.message.includes(text));
}
