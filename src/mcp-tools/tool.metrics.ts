import { Injectable } from '@nestjs/common';
import { CALL_SECONDS, Metrics } from '../platform/metrics/metrics.js';

/** Metrics of calls to tool servers. Labels are names from MCP_SERVERS_FILE and constants. */
@Injectable()
export class ToolMetrics {
  private readonly seconds;
  private readonly mismatches;

  constructor(metrics: Metrics) {
    this.seconds = metrics.histogram(
      'a2a_tool_call_duration_seconds',
      'Duration of calls to MCP tools, by server and outcome.',
      {
        labels: ['server', 'outcome'],
        buckets: CALL_SECONDS,
      },
    );
    this.mismatches = metrics.counter(
      'a2a_tool_pin_mismatches_total',
      'Calls refused because the tool is missing or differs from its pin, by server.',
      ['server', 'tool'],
    );
  }

  called(server: string, outcome: string, ms: number): void {
    this.seconds.observe({ server, outcome }, ms / 1000);
  }

  mismatched(server: string, tool: string): void {
    this.mismatches.inc({ server, tool });
  }
}
