import type { Json } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { LoggedEvent } from './event-log.js';

/** The end of a task whose run made one commit: that is stored. */
export interface Conclusion {
  readonly task: Json<Task>;
  /** The events behind the first one. */
  readonly events: readonly LoggedEvent[];
  /** The time of the status, ms by Redis' clock. */
  readonly endedAt: number;
}

/**
 * The caller that waits for a run in the same process. It gets the end of a run that ends its task with its only commit as
 * that is stored, without a feed. Any other run says so first, and its caller follows the task then.
 */
export interface RunCaller {
  concluded(conclusion: Conclusion): void;
  /** The run is about to write something else than that end. */
  goesOn(): void;
  /** The run is over, whatever became of it. */
  over(): void;
}
