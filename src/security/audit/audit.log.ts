import { auditResult, type AuditEntry } from './audit-entry.js';
import { auditLine } from './audit-line.js';
import type { AuditStream } from './audit-stream.js';
import type { AuditMetrics } from './audit.metrics.js';

/** Writes one line per decision, into a stream of its own (A2A-SEC-06, A2A-SEC-07). */
export class AuditLog {
  private held = '';
  private waiting: (() => void)[] = [];

  constructor(
    private readonly stream: AuditStream,
    private readonly metrics?: Pick<AuditMetrics, 'decided'>,
  ) {}

  /** Writes the line of a decision, and those that are held before it. */
  record(entry: AuditEntry): void {
    this.held += this.lineOf(entry);
    this.writeHeld();
  }

  /**
   * The same for a decision whose answer is given by `afterLines`: the lines of one turn of the event loop are written in
   * one system call, and then the answers go out.
   */
  hold(entry: AuditEntry): void {
    if (this.held === '') process.nextTick(this.endTurn);
    this.held += this.lineOf(entry);
  }

  /** Gives an answer once the lines before it are written. */
  afterLines(answer: () => void): void {
    if (this.held === '') answer();
    else this.waiting.push(answer);
  }

  private lineOf(entry: AuditEntry): string {
    const result = auditResult(entry.code);
    this.metrics?.decided(result, entry.code);
    return auditLine(entry, result, new Date());
  }

  private writeHeld(): void {
    const lines = this.held;
    this.held = '';
    if (lines !== '') this.stream.write(lines);
  }

  private readonly endTurn = (): void => {
    this.writeHeld();
    const answers = this.waiting;
    this.waiting = [];
    for (const answer of answers) answer();
  };
}
