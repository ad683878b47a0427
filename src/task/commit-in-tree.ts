import type { ClaimedRun } from './claimed-run.js';
import type { Sequel } from './commit-plan.js';
import { fieldsOfQuestion } from './open-question.js';
import type { RunProgress } from './run-progress.js';
import { parentKeys } from './task-ending.js';
import { shardOf, type TaskKeys } from './task.keys.js';
import type { TaskOptions } from './task.options.js';

/** What the log of the parent gets of a commit, and how its run goes on. */
interface Noted {
  readonly sequel: Sequel;
  readonly note: string;
}

/** What a commit of a task in a tree adds to commit.lua: its ARGV 4, and KEYS. Nothing for other tasks. */
export interface CommitInTree {
  readonly goesOn?: string;
  readonly others?: readonly string[];
}

/** Where the notes of a child go (lua/lib/notes.lua). */
export function notedKeys(keys: TaskKeys, { traits: { tree } }: ClaimedRun, note: string): readonly string[] {
  return note === '' || tree === undefined ? [] : [keys.task(tree.parent), keys.notes(tree.parent)];
}

/** The progress of a child that goes on is in the log of its parent at once. */
export function progressInTree(keys: TaskKeys, run: ClaimedRun, { sequel, note }: Noted): CommitInTree {
  return note === '' ? {} : { goesOn: `${sequel} - - - ${note}`, others: notedKeys(keys, run, note) };
}

/** A child that ends its turn with a question: the root of its tree shows it. @param until when nobody can answer it any more, ms */
export function askInTree(
  keys: TaskKeys,
  run: ClaimedRun,
  { next, until, note }: { readonly next: RunProgress; readonly until: number; readonly note: string },
): CommitInTree & { readonly fields: readonly string[] } {
  const root = run.traits.tree?.root;
  if (root === undefined) return { fields: [] };
  return {
    fields: fieldsOfQuestion(run, next, until),
    goesOn: note === '' ? `ask ${root}` : `ask ${root} - - ${note}`,
    others: [keys.questions(root), keys.asking(shardOf(root)), ...notedKeys(keys, run, note)],
  };
}

/** The end of a child is known to its parent at once, and that of a parent to its children soon. */
export function endInTree(
  keys: TaskKeys,
  run: ClaimedRun,
  { sequel, note }: Noted,
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
