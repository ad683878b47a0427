import { Injectable } from '@nestjs/common';
import { CALL_SECONDS, Metrics } from '../../platform/metrics/metrics.js';
import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import type { McpRevision } from '@parley/protocol/mcp/revision.js';

/** An answered call, or an ended stream. */
export interface HandledCall {
  readonly binding: 'jsonrpc' | 'rest' | 'grpc' | 'mcp';
  /** Absent for an unknown method: its name would be a label chosen by callers. */
  readonly operation: OperationName | undefined;
  /** The version of A2A, or the revision of MCP. */
  readonly dialect: ProtocolVersion | `mcp-${McpRevision}`;
  readonly outcome: 'ok' | A2AErrorName;
  readonly seconds: number;
}

/** Counts and times the calls of every binding. */
@Injectable()
export class CallMetrics {
  private readonly calls;
  private readonly seconds;

  constructor(metrics: Metrics) {
    const labels = ['operation', 'dialect', 'binding', 'outcome'] as const;
    this.calls = metrics.counter('a2a_requests_total', 'Finished calls and streams.', labels);
    this.seconds = metrics.histogram('a2a_request_duration_seconds', 'Duration of a call, or of an open stream.', {
      labels: ['operation', 'binding'],
      buckets: CALL_SECONDS,
    });
  }

  record({ operation, dialect, binding, outcome, seconds }: HandledCall): void {
    const name = operation ?? 'unknown';
    this.calls.inc({ operation: name, dialect, binding, outcome });
    this.seconds.observe({ operation: name, binding }, seconds);
  }
}
