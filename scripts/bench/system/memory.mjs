import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/** V8 gives pages back to the system in its own time. */
const GIVEN_BACK_MS = 2_000;

/**
 * Answers its parent's question for the memory that this process holds, in bytes, after a garbage collection that moves things
 * together: the resident set, and the used heap and outside buffers. The figure before the collection says
 * how much was thrown away, not what is kept.
 */
export function reportMemory() {
  process.on('message', async (question) => {
    if (question !== 'memory') return;
    setFlagsFromString('--compact-on-every-full-gc');
    globalThis.gc?.();
    globalThis.gc?.();
    setFlagsFromString('--no-compact-on-every-full-gc');
    const { heapUsed, external } = process.memoryUsage();
    await pause(GIVEN_BACK_MS);
    process.send?.({ memory: { resident: process.memoryUsage().rss, heap: heapUsed + external } });
  });
}
