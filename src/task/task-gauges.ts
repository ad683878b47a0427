import { Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { TaskIndex } from './task-index.js';
import { Metrics } from '../platform/metrics/metrics.js';

/** How many tasks are stored, asked at each scrape; every process tells the same, so take the maximum. */
@Injectable()
export class TaskGauges implements OnModuleInit {
  constructor(
    private readonly tasks: TaskIndex,
    /** Absent in a command, which nobody scrapes. */
    @Optional() private readonly metrics?: Metrics,
  ) {}

  onModuleInit(): void {
    const { tasks, metrics } = this;
    if (metrics === undefined) return;
    new Gauge({
      name: 'a2a_tasks',
      help: 'Stored tasks by skill and state, including finished ones until their retention ends.',
      labelNames: ['skill', 'state'],
      registers: [metrics.registry],
      async collect() {
        this.reset();
        // A scrape must tell of an outage, not fail in it.
        const counts = await tasks.counts().catch(() => []);
        for (const { skill, state, tasks: number } of counts) this.set({ skill: skill || 'none', state }, number);
      },
    });
  }
}
