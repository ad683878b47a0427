import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AuditLog } from './audit.log.js';
import { auditStream } from './audit-stream.js';

const caller = { tenant: 'acme', client: 'billing', method: 'token' };

describe(AuditLog.name, () => {
  it('writes one line per decision (A2A-SEC-06)', () => {
    const lines: string[] = [];
    const audit = new AuditLog({ write: (line: string) => lines.push(line) });
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

  it('names the chain of actors of a delegated token (O-14)', () => {
    const lines: string[] = [];
    const audit = new AuditLog({ write: (line: string) => lines.push(line) });
    audit.record({ caller: { ...caller, actors: ['planner', 'por"tal'] }, address: '192.0.2.1' });
    expect(JSON.parse(lines.join(''))).toMatchObject({ client: 'billing', actors: ['planner', 'por"tal'] });
  });

  it('does not let a caller add lines or fill the log', () => {
    const lines: string[] = [];
    const audit = new AuditLog({ write: (line: string) => lines.push(line) });
    const client = `x\n{"log":"audit","result":"done"}${'y'.repeat(10_000)}`;
    audit.record({ caller: { ...caller, client }, address: '192.0.2.1' });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd().split('\n')).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(1_000);
  });
});

/** A stream that records its lines and the times of the answers. */
function aStream(): { readonly events: string[]; readonly audit: AuditLog } {
  const events: string[] = [];
  return {
    events,
    audit: new AuditLog({ write: (lines: string) => events.push(`${String(lines.split('\n').length - 1)} lines`) }),
  };
}

describe('lines that answers wait for', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('are written at the end of the turn in one piece, then the answers go out', async () => {
    const { events, audit } = aStream();
    for (const name of ['first', 'second']) {
      audit.hold({ caller, address: '192.0.2.1', operation: 'GetTask' });
      void audit.afterLines(() => events.push(name));
    }
    expect(events).toEqual([]);
    await turn();
    expect(events).toEqual(['2 lines', 'first', 'second']);
  });

  it('are written at once, in their order, before a line without a waiting answer', async () => {
    const { events, audit } = aStream();
    audit.hold({ caller, address: '192.0.2.1', operation: 'GetTask' });
    void audit.afterLines(() => events.push('answer'));
    audit.record({ caller, address: '192.0.2.1', code: 'PermissionDenied' });
    expect(events).toEqual(['2 lines']);
    await turn();
    expect(events).toEqual(['2 lines', 'answer']);
  });

  it('fail the waiting calls when they cannot be written, and precede the next lines (L8)', async () => {
    const events: string[] = [];
    let isFull = true;
    const audit = new AuditLog({
      write: (lines: string) => {
        if (isFull) throw new Error('no space left on device');
        events.push(...lines.trimEnd().split('\n'));
      },
    });
    const unavailable = expect.objectContaining({ kind: 'Unavailable', retryAfterSeconds: 5 });
    audit.hold({ caller, address: '192.0.2.1', operation: 'GetTask', requestId: 'first' });
    const answered = audit.afterLines(() => events.push('answer'));
    expect(() => {
      audit.record({ address: '192.0.2.1', code: 'Unauthenticated', requestId: 'second' });
    }).toThrow('cannot write its audit log');
    await expect(answered).rejects.toEqual(unavailable);
    expect(audit.isWritable).toBe(false);
    isFull = false;
    expect(audit.isWritable).toBe(true);
    audit.hold({ caller, address: '192.0.2.1', operation: 'GetTask', requestId: 'third' });
    await audit.afterLines(() => events.push('answer with room'));
    const seen = events.map((event) => /"requestId":"(\w+)"/.exec(event)?.[1] ?? event);
    expect(seen).toEqual(['second', 'first', 'third', 'answer with room']);
  });

  it('are kept up to four million characters while they cannot be written (L8, I15)', () => {
    let isFull = true;
    let written = 0;
    const audit = new AuditLog({
      write: (lines: string) => {
        if (isFull) throw new Error('no space left on device');
        written = lines.length;
      },
    });
    for (let n = 0; n < 40_000; n += 1) {
      try {
        audit.record({ caller, address: '192.0.2.1', operation: 'GetTask' });
      } catch (error) {
        expect(error).toHaveProperty('kind', 'Unavailable');
      }
    }
    isFull = false;
    expect(audit.isWritable).toBe(true);
    expect(written).toBeGreaterThan(3_000_000);
    expect(written).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  it('delay no answer when no line is held', () => {
    const { events, audit } = aStream();
    void audit.afterLines(() => events.push('answer'));
    expect(events).toEqual(['answer']);
  });
});

describe(auditStream.name, () => {
  it('writes into a file that only its owner may read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-'));
    const file = join(folder, 'audit.log');
    try {
      new AuditLog(auditStream({ file })).record({ caller, address: '192.0.2.1' });
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        ...{ level: 'info', log: 'audit', tenant: 'acme' },
      });
      expect(statSync(file).mode & 0o077).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
