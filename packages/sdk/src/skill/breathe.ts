import { setImmediate as nextLoopTurn } from 'node:timers/promises';

/** How long one slice of computing may hold the event loop, in milliseconds; see `Slice`. */
const SLICE_MS = 10;

/** The slices of this process in the order of asking: one of them runs in each turn of the event loop. */
let line: Promise<unknown> = Promise.resolve();

/**
 * Yields to other work of the process, then continues. Only one of all computing runs continues per event loop iteration,
 * so that their slices do not add up. Throws the signal's reason on abort.
 */
export async function breathe(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  line = line.then(() => nextLoopTurn());
  await line;
  signal.throwIfAborted();
}

/** Long computing cut into slices: call `pause` wherever it may be interrupted, at least every few milliseconds. */
export class Slices {
  private ends = performance.now() + SLICE_MS;

  constructor(private readonly signal: AbortSignal) {}

  /** Breathes when the slice has ended. Throws the signal's reason on abort. */
  async pause(): Promise<void> {
    if (performance.now() < this.ends) return;
    await breathe(this.signal);
    this.ends = performance.now() + SLICE_MS;
  }
}
