/** Whether a server with slots, a node of a Cluster, refuses a script for its keys: they are in several slots. */
export function isCrossSlot(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('CROSSSLOT');
}
