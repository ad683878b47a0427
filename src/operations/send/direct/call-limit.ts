import type { Call } from '../../call.js';

/**
 * The deadline of a direct call: its caller has disconnected, or the skill has exceeded its time limit. Uses one signal
 * and one timer, which end with the call.
 */
export class CallLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly unwatch: () => void;
  private late = false;

  constructor(presence: Pick<Call['presence'], 'whenGone'>, timeoutMs: number) {
    this.timer = setTimeout(() => {
      this.late = true;
      this.controller.abort(new DOMException('The skill took too long', 'TimeoutError'));
    }, timeoutMs).unref();
    this.unwatch = presence.whenGone(() => {
      this.controller.abort();
    });
  }

  /** Aborts at the deadline. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whether the skill has exceeded its time limit. */
  get isLate(): boolean {
    return this.late;
  }

  /** Stops the timer at the end of the call. */
  release(): void {
    clearTimeout(this.timer);
    this.unwatch();
  }

  /** The work's outcome, or a rejection at the deadline. The work itself continues; the call ends with either. */
  async hold<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    const over = new Promise<never>((_resolve, reject) => {
      const end = (): void => {
        reject(new Error(this.late ? 'The skill took too long' : 'The caller has disconnected'));
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      this.release();
    }
  }
}
