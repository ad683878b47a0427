import { placeInTrace } from '../platform/logging/pino.logger.js';
import type { AuditEntry, AuditResult } from './audit-entry.js';

/** Ids come from callers: longer ones are cut, so that they cannot flood the log. */
const MAX_TEXT = 256;

/**
 * The text of an audit line: JSON, marked `"log":"audit"`, with the members and words of the other lines of the
 * service. Absent members are left out.
 */
export function auditLine(entry: AuditEntry, result: AuditResult, nowMs: number): string {
  const { caller, operation, code } = entry;
  const line = {
    ...{ level: 'info', time: new Date(nowMs).toISOString(), log: 'audit', ...placeInTrace(), event: 'audit' },
    ...{ tenant: caller?.tenant, client: caller?.client, subject: caller?.subject, actors: caller?.actors },
    ...{ method: caller?.method, address: entry.address, operation, action: entry.action, why: entry.why },
    ...{ taskId: entry.taskId, agent: entry.agent, result, code, reason: entry.reason, requestId: entry.requestId },
    ...{ skill: entry.skill, actsAs: entry.actsAs, withheld: entry.withheld },
  };
  return `${JSON.stringify(line, cut)}\n`;
}

function cut(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : value;
}
