import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';

/** Counts the undone work of this process. */
@Injectable()
export class UndoMetrics {
  private readonly undone;

  constructor(metrics: Metrics) {
    const help = 'Finished steps and calls of tasks that failed or were canceled, by what came of undoing them.';
    this.undone = metrics.counter('a2a_work_undone_total', help, ['skill', 'outcome']);
  }

  workUndone(skill: string, { undone, failed }: { readonly undone: number; readonly failed: number }): void {
    if (undone > 0) this.undone.inc({ skill, outcome: 'undone' }, undone);
    if (failed > 0) this.undone.inc({ skill, outcome: 'failed' }, failed);
  }
}
