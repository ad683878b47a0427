import { A2AError } from '@parley/protocol/model/errors.js';
import { auditResult, type AuditEntry } from './audit-entry.js';
import { auditLine } from './audit-line.js';
import type { AuditStream } from './audit-stream.js';
import type { AuditMetrics } from './audit.metrics.js';

/** Characters of unwritten lines kept for later. Further lines are lost: their calls have failed. */
const MAX_OWED = 4 * 1024 * 1024;
const RETRY_AFTER_S = 5;

/** Writes one line per decision, into a stream of its own (A2A-SEC-06, A2A-SEC-07). */
export class AuditLog {
  private held = '';
  /** Unwritten lines of failed decisions, written before the next ones. */
  private owed = '';
  /** Settles when the held lines are written, or cannot be. */
  private turn: Promise<void> | undefined;

  constructor(
    private readonly stream: AuditStream,
    private readonly metrics?: Pick<AuditMetrics, 'decided'>,
  ) {}

  /**
   * Writes the line of a decision after the held ones. If that throws, the others stay held.
   * @throws A2AError Unavailable
   */
  record(entry: AuditEntry): void {
    this.write(this.held, this.lineOf(entry));
    this.held = '';
  }

  /** Whether lines can be written; retries those that could not be written before. */
  get isWritable(): boolean {
    try {
      if (this.owed !== '') this.write('', '');
      return true;
    } catch {
      return false;
    }
  }

  /**
   * The same for a decision whose answer `afterLines` sends: all lines of one turn of the event loop are written in one
   * system call, and then the answers are sent.
   */
  hold(entry: AuditEntry): void {
    this.turn ??= this.endOfTurn();
    this.held += this.lineOf(entry);
  }

  /** Sends an answer once the lines before it are written. Rejects without the answer if that fails. */
  afterLines(answer: () => void): Promise<void> | undefined {
    if (this.turn !== undefined && this.held !== '') return this.turn.then(answer);
    answer();
    return undefined;
  }

  private lineOf(entry: AuditEntry): string {
    const result = auditResult(entry.code);
    this.metrics?.decided(result, entry.code);
    return auditLine(entry, result, Date.now());
  }

  private endOfTurn(): Promise<void> {
    const turn = new Promise<void>((resolve) => {
      process.nextTick(resolve);
    }).then(() => {
      this.writeHeld();
    });
    // A call whose caller has disconnected awaits nothing.
    turn.catch(() => undefined);
    return turn;
  }

  private writeHeld(): void {
    const lines = this.held;
    [this.held, this.turn] = ['', undefined];
    if (lines !== '') this.write('', lines);
  }

  /** @param lines kept for later if the write fails; `held` lines stay with their holders */
  private write(held: string, lines: string): void {
    try {
      this.stream.write(this.owed + held + lines);
      this.owed = '';
    } catch (cause) {
      if (this.owed.length + lines.length <= MAX_OWED) this.owed += lines;
      const text = 'The service cannot write its audit log: please try again';
      throw new A2AError('Unavailable', text, { retryAfterSeconds: RETRY_AFTER_S, cause });
    }
  }
}
