import type { ScriptArgs, ScriptKeys } from '../../platform/redis/script/redis-script.js';
import type { ClaimedRun } from './claimed-run.js';
import type { Sequel } from './commit-plan.js';
import { shardOf, type TaskKeys } from '../task.keys.js';
import type { TaskOptions } from '../task.options.js';
import type { TASK_SCRIPTS } from '../task.scripts.js';

type Commit = typeof TASK_SCRIPTS.commit;

/** Additional groups for the input of commit.lua of a task in a tree. None for other tasks. */
export interface CommitInTree {
  readonly keys: Pick<ScriptKeys<Commit>, 'asked' | 'cascade' | 'parent' | 'endedChild'>;
  readonly args: Pick<ScriptArgs<Commit>, 'parent' | 'endedChild'>;
}

/**
 * The root of the tree shows an asking child; the parent's log gets progress and end of a child at once, and children
 * learn of their parent's end soon.
 * @param note note for the log of the parent (lua/lib/tree/notes.lua); '' for none
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

/** The keys for notes of a child. */
export function parentKeys(keys: TaskKeys, parent: string) {
  return { parent: keys.task(parent), parentNotes: keys.notes(parent) };
}
