import type { Call } from '../../call.js';

/**
 * The time of a direct call: it is over when the caller has gone, or when the skill has taken too long. One signal and one
 * timer, which end with the call: `AbortSignal.any` and `AbortSignal.timeout` take longer than the rest of a direct call,
 * and a timeout stays for all of its time.
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

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whether the skill has taken too long. */
  get isLate(): boolean {
    return this.late;
  }

  /** The call has ended: its time is not counted any more. */
  release(): void {
    clearTimeout(this.timer);
    this.unwatch();
  }

  /** The work's outcome, or a rejection as soon as the time is over. The work itself continues; the call has ended with either. */
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
