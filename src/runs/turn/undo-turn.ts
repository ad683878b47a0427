import { Compensated, Compensation, endOf, type UndoSource } from '../../agents/tree/compensation.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import type { ClaimedRun, TaskEnd } from '../../tasks/commit/claimed-run.js';
import type { RunNotebook } from '../../tasks/commit/run-notebook.js';
import type { TreeStore } from '../../tasks/tree/tree.store.js';
import type { SkillTurn, TurnResult } from './skill-turn.js';

/** The turn of a task that undoes its finished work. */
export interface Undoing {
  readonly run: ClaimedRun;
  readonly turn: SkillTurn;
  readonly ending: TaskEnd;
}

/**
 * Runs that turn. `work` is present once everything was undone as far as possible: the task then ends as `result`
 * specifies.
 */
export async function undoTurn(
  { run, turn, ending }: Undoing,
  context: SkillContext,
  trees: TreeStore,
  notebook: RunNotebook,
): Promise<{ readonly result: TurnResult; readonly work?: Compensated }> {
  const result = await turn.run(new Compensation(sourceOf(run, trees, notebook)), context);
  if (result.kind !== 'threw' || !(result.error instanceof Compensated)) return { result };
  const work = result.error;
  return { result: { kind: 'ends', state: ending.state, said: endOf(ending, work) }, work };
}

function sourceOf(run: ClaimedRun, trees: TreeStore, notebook: RunNotebook): UndoSource {
  return {
    fields: () => notebook.undoFields(run),
    entry: (field) => notebook.undoEntry(run, field),
    child: (id) => trees.child(id),
    openChildren: () => trees.openChildren(run),
  };
}
