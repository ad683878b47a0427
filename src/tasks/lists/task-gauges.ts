import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { TaskIndex } from './task-index.js';
import { TreeInspector } from './tree-inspector.js';
import { askedGauge } from '../../platform/metrics/asked-gauge.js';
import { Metrics } from '../../platform/metrics/metrics.js';

/** Gauge of stored tasks, read at each scrape; every process reports the same value, so use the maximum. */
@Injectable()
export class TaskGauges implements OnModuleInit {
  constructor(
    private readonly tasks: TaskIndex,
    private readonly metrics: Metrics,
    private readonly trees: TreeInspector,
  ) {}

  onModuleInit(): void {
    const { tasks, metrics } = this;
    askedGauge(
      metrics.registry,
      { name: 'a2a_tree_open', help: 'Trees of tasks whose root has started others and has not ended.' },
      () => this.trees.open(),
    );
    new Gauge({
      name: 'a2a_tasks',
      help: 'Stored tasks by skill and state, including finished ones until their retention ends.',
      labelNames: ['skill', 'state'],
      registers: [metrics.registry],
      async collect() {
        this.reset();
        // A scrape must succeed during an outage of Redis.
        const counts = await tasks.counts().catch(() => []);
        for (const { skill, state, tasks: number } of counts) this.set({ skill: skill || 'none', state }, number);
      },
    });
  }
}
