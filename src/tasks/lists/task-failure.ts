import type { CommandRedis } from '../../platform/redis/connection/connections.js';
import { faultField } from '../commit/run-log.js';
import { reasonOf, type RunFault, storedFault } from '../record/run-fault.js';
import type { StateWord } from '../record/state-word.js';

/** The failure of a task, for lists and trees. Content: shown with the right to read tasks. */
export interface TaskFailure {
  /** The reason of a failure or rejection, as given to its caller. */
  readonly reason?: string;
  /** The error of its last run, which its caller does not get. */
  readonly fault?: RunFault;
}

/** @param message JSON of the status message, or '' */
export async function failureOf(
  redis: CommandRedis,
  key: string,
  { state, fence }: Pick<StateWord, 'state' | 'fence'>,
  message: string,
): Promise<TaskFailure> {
  const reason = reasonOf(state, message);
  if (state !== 'TASK_STATE_FAILED') return reason;
  // A run that ends leaves the next fence to the task.
  const [latest, before] = await redis.hmget(key, faultField(fence), faultField(fence - 1));
  const fault = storedFault(latest ?? before);
  return { ...reason, ...(fault === undefined ? {} : { fault }) };
}
