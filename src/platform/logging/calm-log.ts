import type { Logger } from '@nestjs/common';

const EVERY_MS = 60_000;

/** Rate limit for warnings of one kind: logs the first at once, then one a minute. */
export class CalmLog {
  private loggedAt = -Infinity;
  private omitted = 0;

  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly event: string,
  ) {}

  /** @param fields fields of the line; `omitted` counts the warnings since the last line */
  warn(fields: Readonly<Record<string, unknown>>): void {
    const now = performance.now();
    if (now - this.loggedAt < EVERY_MS) {
      this.omitted += 1;
      return;
    }
    this.log.warn({ event: this.event, ...fields, ...(this.omitted > 0 && { omitted: this.omitted }) });
    [this.loggedAt, this.omitted] = [now, 0];
  }

  /** Resets after a recovery: the next failure is logged at once. */
  works(): void {
    this.loggedAt = -Infinity;
  }
}
