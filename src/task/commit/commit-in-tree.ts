import type { ScriptArgs, ScriptKeys } from '../../platform/redis/script/redis-script.js';
import type { ClaimedRun } from './claimed-run.js';
import type { Sequel } from './commit-plan.js';
import { shardOf, type TaskKeys } from '../task.keys.js';
import type { TaskOptions } from '../task.options.js';
import type { TASK_SCRIPTS } from '../task.scripts.js';

type Commit = typeof TASK_SCRIPTS.commit;

/** What a commit of a task in a tree adds to the input of commit.lua: groups. None for other tasks. */
export interface CommitInTree {
  readonly keys: Pick<ScriptKeys<Commit>, 'asked' | 'cascade' | 'parent' | 'endedChild'>;
  readonly args: Pick<ScriptArgs<Commit>, 'parent' | 'endedChild'>;
}

/**
 * A child that asks is shown by the root of its tree; its progress is in the log of its parent at once, its end known to the parent
 * at once, and that of a parent to its children soon.
 * @param note what the log of the parent gets (lua/lib/tree/notes.lua); '' for nothing
 */
export function commitInTree(
  keys: TaskKeys,
  run: ClaimedRun,
  { sequel, note }: { readonly sequel: Sequel; readonly note: string },
  { stuckTtlMs }: Pick<TaskOptions, 'stuckTtlMs'>,
): CommitInTree {
  const { tree } = run.traits;
  const shard = shardOf(run.taskId);
  const ends = sequel === 'end' || sequel === 'end?';
  const cascade = ends && run.log.hasChildren ? { cascade: keys.cascade(shard) } : undefined;
  if (tree === undefined) return { keys: { cascade }, args: {} };
  const { parent, root } = tree;
  const { queue, limitedQueue } = keys.queuesOf(run.taskId);
  const ended = { children: keys.children(parent), held: keys.held(parent), parked: keys.parked(shard) };
  const isNoted = ends || note !== '';
  return {
    keys: {
      cascade,
      asked: sequel === 'ask' ? { questions: keys.questions(root), asking: keys.asking(shardOf(root)) } : undefined,
      parent: isNoted ? parentKeys(keys, parent) : undefined,
      endedChild: ends ? { ...ended, queue, limitedQueue } : undefined,
    },
    args: {
      parent: isNoted ? { note } : undefined,
      endedChild: ends ? { stuckMs: stuckTtlMs, elsewhere: run.position } : undefined,
    },
  };
}

/** Where the notes of a child go. */
export function parentKeys(keys: TaskKeys, parent: string) {
  return { parent: keys.task(parent), parentNotes: keys.notes(parent) };
}
