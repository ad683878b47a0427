import type { Replay } from '@parley/sdk/skill/replay/replay.js';
import { TreeValues } from '@parley/sdk/skill/shared/tree-values.js';
import type { SkillRegistry } from '../../skill/skill.registry.js';
import type { RunNotebook } from '../../tasks/commit/run-notebook.js';
import type { ClaimedRun, RunNotes } from '../../tasks/commit/run.store.js';
import type { TreeStore } from '../../tasks/tree/tree.store.js';
import { TreeKeeper } from './tree-keeper.js';
import { TurnArtifacts } from './turn-artifacts.js';

interface TreeSources {
  readonly run: ClaimedRun;
  readonly replay: Replay;
  readonly notebook: RunNotebook;
  readonly trees: TreeStore;
  readonly skills: SkillRegistry;
}

/** The shared data of one turn and the other tasks of its tree: values, and artifacts by reference. */
export class TurnTree {
  readonly artifacts: TurnArtifacts;
  private values: TreeValues | undefined;

  /** @param unsaved the notes for the next write */
  constructor(
    private readonly sources: TreeSources,
    private readonly unsaved: () => { readonly notes: RunNotes; readonly saved: () => void },
  ) {
    this.artifacts = new TurnArtifacts({ ...sources, unsaved, shared: () => this.shared });
  }

  get shared(): TreeValues {
    const { run, skills, replay, notebook } = this.sources;
    const reducers = skills.runnableAs(run.skillId, run.version)?.options.reducers ?? {};
    return (this.values ??= new TreeValues(new TreeKeeper({ run, replay, reducers, notebook, unsaved: this.unsaved })));
  }

  /** Resolves when the writes of children are merged; undefined when nothing is shared. */
  get settled(): Promise<unknown> | undefined {
    return this.values?.settled;
  }
}
