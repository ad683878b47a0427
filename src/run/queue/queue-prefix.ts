/** What all keys of BullMQ begin with; the braces keep them in one slot of Redis Cluster. */
export function queuePrefix(keyPrefix: string): string {
  return `{${keyPrefix}-queue}`;
}
