import { Injectable, Logger } from '@nestjs/common';
import { CancelCascade } from '../tasks/tree/cancel-cascade.js';
import { EventFanOut } from './events/event-fan-out.js';
import { QuestionBoard } from './questions/question-board.js';

/**
 * The sweep's work on trees of tasks: open children of ended tasks, questions that roots must show, and published
 * events.
 */
@Injectable()
export class TreeSweep {
  private readonly log = new Logger(TreeSweep.name);

  constructor(
    private readonly trees: CancelCascade,
    private readonly questions: QuestionBoard,
    private readonly events: EventFanOut,
  ) {}

  /** One pass, over at most `limit` tasks of each shard. Returns the number of runs put into the fair queues. */
  async sweep(limit: number): Promise<number> {
    const parents = await this.trees.due(limit);
    await Promise.all(parents.map((id) => this.apart(id, () => this.trees.cancelBelow(id))));
    const roots = await this.questions.due(limit);
    const runs = await Promise.all(roots.map((id) => this.apart(id, () => this.questions.refresh(id))));
    return runs.reduce<number>((sum, count) => sum + (count ?? 0), await this.events.sweep(limit));
  }

  /** A tree whose check fails must not block the others. */
  private async apart<T>(taskId: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.log.error({ event: 'sweep.tree-failed', taskId, reason: String(error) });
      return undefined;
    }
  }
}
