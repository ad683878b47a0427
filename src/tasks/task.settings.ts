import { Setting } from '../platform/config/settings/setting.js';
import { WholeNumber } from '../platform/config/checks/numbers.js';
import type { TaskOptions } from './task.options.js';

const DAY_SECONDS = 86_400;
/** Ten years: longer retention needs an archive. */
const MAX_SECONDS = 3650 * DAY_SECONDS;

/** Retention of tasks, and limits of trees of tasks. */
export class TaskSettings {
  @Setting('Retention of a finished task.')
  @WholeNumber(1, MAX_SECONDS)
  readonly KEEP_FINISHED_SECONDS: number = 7 * DAY_SECONDS;

  @Setting('How long a task waits for an answer before it fails.')
  @WholeNumber(1, MAX_SECONDS)
  readonly KEEP_UNANSWERED_SECONDS: number = 30 * DAY_SECONDS;

  @Setting('Seconds that a task waits for a worker before it fails.', { was: 'KEEP_UNSTARTED_SECONDS' })
  @WholeNumber(1, MAX_SECONDS)
  readonly keepUnstartedSeconds: number = DAY_SECONDS;

  @Setting('Levels below the root of a tree of tasks, 32 at most. A tree keeps the limits that it has begun with.', {
    was: 'TREE_DEPTH',
  })
  @WholeNumber(1, 32)
  readonly depth: number = 8;

  @Setting('Children of one task, 5,000 at most.', { was: 'TREE_CHILDREN' })
  @WholeNumber(1, 5_000)
  readonly children: number = 1_000;

  @Setting('Tasks of a tree in all, 10,000 at most.', { was: 'TREE_TASKS' })
  @WholeNumber(1, 10_000)
  readonly treeTasks: number = 10_000;

  @Setting(
    'Milliseconds after its first question until a tree asks its caller, while other tasks of the tree can continue. When none can, it asks at once.',
    { was: 'ASK_AFTER_MS' },
  )
  @WholeNumber(0, 3_600_000)
  readonly askAfterMs: number = 5_000;
}

export function taskOptionsOf(settings: TaskSettings): Partial<TaskOptions> {
  return {
    terminalTtlMs: settings.KEEP_FINISHED_SECONDS * 1000,
    interruptedTtlMs: settings.KEEP_UNANSWERED_SECONDS * 1000,
    stuckTtlMs: settings.keepUnstartedSeconds * 1000,
    askAfterMs: settings.askAfterMs,
    mostDepth: settings.depth,
    mostChildren: settings.children,
    mostTreeTasks: settings.treeTasks,
  };
}
