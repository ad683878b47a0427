/**
 * Hash: schema of the code that wrote the stored data, and the oldest code that may use it. No TTL: it covers all data.
 */
export function schemaKey(prefix: string): string {
  return `${prefix}:schema`;
}

/** Sorted set of the processes of a service, by the time of their next announcement. */
export function presenceKey(prefix: string): string {
  return `${prefix}:presence`;
}

/** Scratch key of a probe of Redis, in one of many hash slots. Gone with the script that writes it, or after seconds. */
export function probeKey(prefix: string, probe: string, slot = 0): string {
  return `${prefix}:{probe-${String(slot)}}:${probe}`;
}
