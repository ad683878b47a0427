import type { Logger } from 'pino';
import { auditResult, type AuditEntry } from './audit-entry.js';
import type { AuditMetrics } from './audit.metrics.js';

/** Ids come from callers: longer ones are cut, so that they cannot flood the log. */
const MAX_TEXT = 256;

/** Writes one line per decision, into a stream of its own (A2A-SEC-06, A2A-SEC-07). */
export class AuditLog {
  constructor(
    private readonly logger: Logger,
    private readonly metrics?: Pick<AuditMetrics, 'decided'>,
  ) {}

  record(entry: AuditEntry): void {
    const { caller, operation, taskId, code, reason, address, requestId } = entry;
    const result = auditResult(code);
    this.metrics?.decided(result, code);
    this.logger.info({
      event: 'audit',
      tenant: shortened(caller?.tenant),
      client: shortened(caller?.client),
      subject: shortened(caller?.subject),
      method: caller?.method,
      ...{ address, operation, taskId: shortened(taskId), result, code },
      ...{ reason: shortened(reason), requestId: shortened(requestId) },
    });
  }
}

/** Undefined members are left out of the line. */
function shortened(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT);
}
