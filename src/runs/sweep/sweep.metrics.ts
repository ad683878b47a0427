import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';

/** Counts what the sweep ends, purges and requeues. */
@Injectable()
export class SweepMetrics {
  private readonly swept;
  private readonly leases;
  private readonly purged;
  private readonly requeued;

  constructor(metrics: Metrics) {
    const swept = 'Tasks that the sweep ended because no run could.';
    this.swept = metrics.counter('a2a_tasks_ended_by_sweep_total', swept, ['why']);
    this.leases = metrics.counter('a2a_leases_expired_total', 'Runs whose worker was lost.');
    this.purged = metrics.counter('a2a_tasks_purged_total', 'Finished tasks purged after their retention.');
    this.requeued = metrics.counter('a2a_runs_requeued_total', 'Runs requeued by the sweep.');
  }

  endedBySweep(why: string): void {
    this.swept.inc({ why });
  }

  leaseExpired(): void {
    this.leases.inc();
  }

  taskPurged(): void {
    this.purged.inc();
  }

  requeuedBySweep(runs: number): void {
    this.requeued.inc(runs);
  }
}
