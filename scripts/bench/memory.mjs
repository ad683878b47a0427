/** Answers its parent's question for the memory that this process holds after a garbage collection, in bytes. */
export function tellMemory() {
  process.on('message', (question) => {
    if (question !== 'memory') return;
    globalThis.gc?.();
    globalThis.gc?.();
    process.send?.({ memory: process.memoryUsage().rss });
  });
}
