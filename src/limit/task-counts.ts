/** How much of what is there. The task store counts; these are estimates between calls and need no lock. */
export abstract class TaskCounts {
  /** Tasks of a client that are not in a terminal state. */
  abstract liveTasks(tenant: string, client: string): Promise<number>;
  /** Tasks of a tenant that wait to run. */
  abstract waitingTasks(tenant: string): Promise<number>;
}
