import type { Command } from 'ioredis';

interface Waiting {
  readonly command: Command;
  readonly until: number;
  next: Waiting | undefined;
}

/**
 * Rejects the commands of a connection that Redis does not answer in time. One timer for all, since they are answered
 * in the order in which they were sent.
 */
export class CommandDeadlines {
  private first: Waiting | undefined;
  private last: Waiting | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly answerMs: number) {}

  add(command: Command): void {
    this.dropAnswered();
    const waiting: Waiting = { command, until: performance.now() + this.answerMs, next: undefined };
    if (this.last === undefined) this.first = waiting;
    else this.last.next = waiting;
    this.last = waiting;
    this.timer ??= setTimeout(this.giveUpLate, this.answerMs).unref();
  }

  private dropAnswered(): void {
    while (this.first?.command.isSettled === true) this.dropFirst();
  }

  /** Unlinks the dropped entry: in the old space it would keep all later ones alive. */
  private dropFirst(): void {
    const { first } = this;
    this.first = first?.next;
    if (first !== undefined) first.next = undefined;
    if (this.first === undefined) this.last = undefined;
  }

  /** Within a turn of the event loop timers run before replies are read, and `setImmediate` runs after. */
  private readonly giveUpLate = (): void => {
    const now = performance.now();
    const late: Command[] = [];
    for (let one = this.first; one !== undefined && (one.until <= now || one.command.isSettled); one = this.first) {
      if (!one.command.isSettled) late.push(one.command);
      this.dropFirst();
    }
    if (late.length > 0) setImmediate(rejectUnanswered, late);
    const left = this.first === undefined ? undefined : this.first.until - now;
    this.timer = left === undefined ? undefined : setTimeout(this.giveUpLate, left).unref();
  };
}

function rejectUnanswered(commands: readonly Command[]): void {
  for (const command of commands) if (!command.isSettled) command.reject(new Error('Command timed out'));
}
