import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/** V8 gives pages back to the system in its own time. */
const GIVEN_BACK_MS = 2_000;

/**
 * Answers its parent's question for the memory that this process holds, in bytes: what is resident after a garbage
 * collection that moves things together. What it held a moment before says how much was thrown away, not what is kept.
 */
export function tellMemory() {
  process.on('message', async (question) => {
    if (question !== 'memory') return;
    setFlagsFromString('--compact-on-every-full-gc');
    globalThis.gc?.();
    globalThis.gc?.();
    setFlagsFromString('--no-compact-on-every-full-gc');
    await pause(GIVEN_BACK_MS);
    process.send?.({ memory: process.memoryUsage().rss });
  });
}
