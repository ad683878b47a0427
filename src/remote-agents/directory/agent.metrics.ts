import { Injectable } from '@nestjs/common';
import { CALL_SECONDS, Metrics } from '../../platform/metrics/metrics.js';

/** Metrics of calls to agents of other services. Labels are names from AGENTS_FILE and constants. */
@Injectable()
export class AgentMetrics {
  private readonly seconds;
  private readonly changes;

  constructor(metrics: Metrics) {
    this.seconds = metrics.histogram(
      'a2a_agent_call_duration_seconds',
      'Duration of calls to agents of AGENTS_FILE, by agent and outcome; 0 where none was made: left-alone, busy.',
      { labels: ['agent', 'outcome'], buckets: CALL_SECONDS },
    );
    this.changes = metrics.counter(
      'a2a_agent_breaker_changes_total',
      'Circuit breaker changes of agents of AGENTS_FILE: opened, closed.',
      ['agent', 'change'],
    );
  }

  called(agent: string, outcome: string, ms: number): void {
    this.seconds.observe({ agent, outcome }, ms / 1000);
  }

  changed(agent: string, change: string): void {
    this.changes.inc({ agent, change });
  }
}
