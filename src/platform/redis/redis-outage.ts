const CONNECTION_FAULTS = [
  'Connection is closed',
  'Command timed out',
  'Stream isn',
  'READONLY',
  'LOADING',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'NOREPLICAS',
  // A failover of a Cluster that takes longer than a caller waits.
  'TRYAGAIN',
  'MOVED ',
  'Too many Cluster redirections',
  "Cluster isn't ready",
  'Cluster is ended',
  'None of startup nodes is available',
  'No subscriber for the cluster',
  'All sentinels are unreachable',
];
const NAMES = ['MaxRetriesPerRequestError', 'ClusterAllFailedError', 'NotReplicated'];
const FULL = ['OOM command not allowed', 'MISCONF'];

/** Whether a failed command says that Redis cannot be used now, by lost connection, failover or lack of memory. */
export function isRedisOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (NAMES.includes(error.name)) return true;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT') return true;
  return [...CONNECTION_FAULTS, ...FULL].some((text) => error.message.includes(text));
}
