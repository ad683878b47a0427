/** Hash: which code has written the stored data, and how old code may be to work with it. No TTL: it is about all of it. */
export function schemaKey(prefix: string): string {
  return `${prefix}:schema`;
}

/** Sorted set of the processes of a service, by the time at which they must have said something again. */
export function presenceKey(prefix: string): string {
  return `${prefix}:presence`;
}
