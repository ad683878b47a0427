import type { ClaimedRun } from './claimed-run.js';
import type { Sequel } from './commit-plan.js';
import { fieldsOfQuestion } from './open-question.js';
import type { RunProgress } from './run-progress.js';
import { parentKeys } from './task-ending.js';
import { shardOf, type TaskKeys } from './task.keys.js';
import type { TaskOptions } from './task.options.js';

/** What a commit of a task in a tree adds to commit.lua: its ARGV 4, and KEYS. Nothing for other tasks. */
export interface CommitInTree {
  readonly goesOn?: string;
  readonly others?: readonly string[];
}

/** The progress of a child is in the log of its parent at once. */
export function progressInTree(keys: TaskKeys, { traits: { tree } }: ClaimedRun, note: string): CommitInTree {
  if (note === '' || tree === undefined) return {};
  return { goesOn: `go - - - ${note}`, others: [keys.task(tree.parent), keys.notes(tree.parent)] };
}

/** A child that ends its turn with a question: the root of its tree shows it. @param until when nobody can answer it any more, ms */
export function askInTree(
  keys: TaskKeys,
  run: ClaimedRun,
  next: RunProgress,
  until: number,
): CommitInTree & { readonly fields: readonly string[] } {
  const root = run.traits.tree?.root;
  if (root === undefined) return { fields: [] };
  return {
    fields: fieldsOfQuestion(run, next, until),
    goesOn: `ask ${root}`,
    others: [keys.questions(root), keys.asking(shardOf(root))],
  };
}

/** The end of a child is known to its parent at once, and that of a parent to its children soon. */
export function endInTree(
  keys: TaskKeys,
  { run, sequel, note }: { readonly run: ClaimedRun; readonly sequel: Sequel; readonly note: string },
  { stuckTtlMs }: Pick<TaskOptions, 'stuckTtlMs'>,
): CommitInTree {
  const isChild = run.traits.tree !== undefined;
  if (!isChild && !run.log.hasChildren) return {};
  const shard = shardOf(run.taskId);
  const [queue, limited] = keys.queuesOf(run.taskId);
  const child = isChild ? [stuckTtlMs, run.position] : ['-', '-'];
  return {
    goesOn: [sequel, ...child, run.log.hasChildren ? 1 : 0, note].join(' '),
    others: [...parentKeys(keys, run.traits), keys.parked(shard), queue, limited, keys.cascade(shard)],
  };
}
