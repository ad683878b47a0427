import { Compensated, Compensation, endOf, type UndoSource } from './compensation.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import type { EndingTurn } from '../runs/turn/ending-turn.js';
import type { TurnResult } from '../runs/turn/skill-turn.js';
import type { ClaimedRun } from '../tasks/commit/claimed-run.js';
import type { RunNotebook } from '../tasks/commit/run-notebook.js';
import type { TreeStore } from '../tasks/tree/tree.store.js';

/**
 * Runs that turn. `work` is present once everything was undone as far as possible: the task then ends as `result`
 * specifies.
 */
export async function undoTurn(
  { run, turn, ending }: EndingTurn,
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
