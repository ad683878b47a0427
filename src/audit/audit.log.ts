import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.js';
import { auditResult, type AuditEntry } from './audit-entry.js';

/** Ids come from callers: longer ones are cut, so that nobody fills the log. */
const MAX_TEXT = 256;

/** Writes one line per decision, into a stream of its own (A2A-SEC-06, A2A-SEC-07). */
export class AuditLog {
  constructor(
    private readonly logger: Logger,
    private readonly metrics?: Pick<Metrics, 'decided'>,
  ) {}

  record(entry: AuditEntry): void {
    const { caller, operation, taskId, code, reason, address, requestId } = entry;
    const result = auditResult(code);
    const { tenant, client, subject, method } = caller ?? {};
    const fields = { tenant, client, subject, method, address, operation, taskId, result, code, reason, requestId };
    this.metrics?.decided(result, code);
    this.logger.info({ event: 'audit', ...shortened(fields) });
  }
}

function shortened(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const present = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, value.slice(0, MAX_TEXT)]));
}
