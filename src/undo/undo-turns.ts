import { Injectable, Logger } from '@nestjs/common';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import type { EndingTurn, EndingTurnHandler } from '../runs/turn/ending-turn.js';
import type { TurnResult } from '../runs/turn/skill-turn.js';
import { SkillRunner } from '../runs/worker/skill-runner.js';
import { RunStore } from '../tasks/commit/run.store.js';
import { TreeStore } from '../tasks/tree/tree.store.js';
import { UndoMetrics } from './undo.metrics.js';
import { undoTurn } from './undo-turn.js';

/** Undoes the finished work of tasks whose end is decided, and records the result. */
@Injectable()
export class UndoTurns implements EndingTurnHandler {
  private readonly log = new Logger(UndoTurns.name);

  constructor(
    private readonly trees: TreeStore,
    private readonly store: RunStore,
    private readonly metrics: UndoMetrics,
    runner: SkillRunner,
  ) {
    runner.endings = this;
  }

  async run(ending: EndingTurn, context: SkillContext): Promise<TurnResult> {
    const { result, work } = await undoTurn(ending, context, this.trees, this.store.notebook);
    if (work === undefined) return result;
    const { taskId, skillId: skill } = ending.run;
    for (const one of work.failed)
      this.log.error({ event: 'compensation.failed', ...one, taskId, skill, undo: one.skill });
    this.metrics.workUndone(skill, { undone: work.undone.length, failed: work.failed.length });
    return result;
  }
}
