import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { AuditLog } from './audit.log.js';
import { auditLogger } from './audit-logger.js';

const caller = { tenant: 'acme', client: 'billing', method: 'token' };

describe(AuditLog.name, () => {
  it('writes one line per decision, beside a log that is silent otherwise (A2A-SEC-06)', () => {
    const lines: string[] = [];
    const quiet = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
    const audit = new AuditLog(auditLogger({ beside: quiet }));
    audit.record({
      caller,
      address: '192.0.2.1',
      operation: 'CancelTask',
      taskId: 't1',
      requestId: 'r1',
    });
    audit.record({ caller, address: '192.0.2.1', operation: 'GetTask', code: 'TaskNotFound' });
    audit.record({ address: '192.0.2.1', code: 'Unauthenticated', reason: 'expired' });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        log: 'audit',
        event: 'audit',
        ...caller,
        operation: 'CancelTask',
        taskId: 't1',
        result: 'done',
        requestId: 'r1',
      },
      { log: 'audit', operation: 'GetTask', result: 'failed', code: 'TaskNotFound' },
      { log: 'audit', event: 'audit', result: 'denied', code: 'Unauthenticated', reason: 'expired' },
    ]);
  });

  it('lets no caller add lines or fill the log', () => {
    const lines: string[] = [];
    const audit = new AuditLog(pino({}, { write: (line: string) => lines.push(line) }));
    const client = `x\n{"log":"audit","result":"done"}${'y'.repeat(10_000)}`;
    audit.record({ caller: { ...caller, client }, address: '192.0.2.1' });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd().split('\n')).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(1_000);
  });
});

describe(auditLogger.name, () => {
  it('writes into a file that only its owner may read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-'));
    const file = join(folder, 'audit.log');
    try {
      new AuditLog(auditLogger({ file })).record({ caller, address: '192.0.2.1' });
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        ...{ level: 'info', log: 'audit', tenant: 'acme' },
      });
      expect(statSync(file).mode & 0o077).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
