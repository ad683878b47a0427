/** Time for which an endpoint counts as healthy after a success. */
const TRUST_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Keeps hanging endpoints from taking every slot of a process. Endpoints with a recent success may use all slots; the
 * others share half of them.
 */
export class SlowLane {
  private readonly trustedUntil = new Map<string, number>();
  private inLane = 0;

  constructor(private readonly slots: number) {}

  /** Acquires a slot for an attempt: returns the function that releases it, or undefined if the lane is full. */
  enter(origin: string, now: number): (() => void) | undefined {
    if (this.isTrusted(origin, now)) return () => undefined;
    if (this.inLane >= this.slots) return undefined;
    this.inLane += 1;
    let isInside = true;
    return () => {
      if (isInside) this.inLane -= 1;
      isInside = false;
    };
  }

  /** Whether an endpoint succeeded recently. */
  isTrusted(origin: string, now: number): boolean {
    return (this.trustedUntil.get(origin) ?? 0) > now;
  }

  note(origin: string, succeeded: boolean, now: number): void {
    this.trustedUntil.delete(origin);
    if (!succeeded) return;
    this.trustedUntil.set(origin, now + TRUST_MS);
    const [oldest] = this.trustedUntil.keys();
    if (oldest !== undefined && this.trustedUntil.size > MAX_REMEMBERED) this.trustedUntil.delete(oldest);
  }
}
