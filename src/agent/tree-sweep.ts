import { Injectable, Logger } from '@nestjs/common';
import { CancelCascade } from '../task/tree/cancel-cascade.js';
import { EventFanOut } from './events/event-fan-out.js';
import { QuestionBoard } from './questions/question-board.js';

/** What trees of tasks leave to the sweep: open children of ended tasks, questions that roots are to show, and published events. */
@Injectable()
export class TreeSweep {
  private readonly log = new Logger(TreeSweep.name);

  constructor(
    private readonly trees: CancelCascade,
    private readonly questions: QuestionBoard,
    private readonly events: EventFanOut,
  ) {}

  /** One pass, over so many tasks of each shard. Returns how many runs are in the fair queues now. */
  async sweep(limit: number): Promise<number> {
    const parents = await this.trees.due(limit);
    await Promise.all(parents.map((id) => this.apart(id, () => this.trees.cancelBelow(id))));
    const roots = await this.questions.due(limit);
    const runs = await Promise.all(roots.map((id) => this.apart(id, () => this.questions.refresh(id))));
    return runs.reduce<number>((sum, count) => sum + (count ?? 0), await this.events.sweep(limit));
  }

  /** A tree that cannot be looked after must not block the others. */
  private async apart<T>(taskId: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.log.error({ event: 'sweep.tree-failed', taskId, reason: String(error) });
      return undefined;
    }
  }
}
