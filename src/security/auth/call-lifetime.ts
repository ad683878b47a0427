/** A caller may outlive its credential by this much; then it must come back with a new one. */
const GRACE_MS = 30_000;
/** Timers hold at most 2^31 - 1 ms; what lives longer than that ends for other reasons. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Aborted when the connection closes, or when the credential has been expired for the grace period. Every call has one but
 * few use it, so timer and signal are created on first use.
 */
export class CallLifetime {
  private readonly listeners = new Set<() => void>();
  private controller: AbortController | undefined;
  private expiry: NodeJS.Timeout | undefined;
  private expiresAt: number | undefined;
  private isGone = false;

  /** @param graceMs by how much the caller may outlive its credential */
  constructor(private readonly graceMs = GRACE_MS) {}

  /** Says when the caller's credential ends, ms since the epoch; undefined when it does not. */
  limitTo({ expiresAt }: { readonly expiresAt?: number }): void {
    this.expiresAt = expiresAt;
  }

  /** Aborts when the caller is gone. Use a listener where no signal is needed: it is cheaper. */
  get signal(): AbortSignal {
    return (this.controller ?? this.newController()).signal;
  }

  /** Calls back once the caller is gone, and at once when it is. The returned function gives that up. */
  whenGone(listener: () => void): () => void {
    if (this.isGone) listener();
    else this.watch(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** The caller is gone. */
  leave(): void {
    this.isGone = true;
    const { listeners } = this;
    const called = [...listeners];
    this.release();
    for (const listener of called) listener();
  }

  /** Ends the lifetime with its call: no listener is called any more. */
  release(): void {
    clearTimeout(this.expiry);
    this.listeners.clear();
  }

  private newController(): AbortController {
    const controller = new AbortController();
    this.controller = controller;
    this.whenGone(() => {
      controller.abort();
    });
    return controller;
  }

  private watch(listener: () => void): void {
    this.listeners.add(listener);
    if (this.expiry !== undefined || this.expiresAt === undefined) return;
    const left = Math.min(Math.max(0, this.expiresAt + this.graceMs - Date.now()), MAX_TIMER_MS);
    this.expiry = setTimeout(() => {
      this.leave();
    }, left).unref();
  }
}
