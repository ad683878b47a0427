/** Whether a Cluster node refuses a script because its keys are in several slots. */
export function isCrossSlot(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('CROSSSLOT');
}
