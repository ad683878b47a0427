// Cost of the tool client's module for a worker that calls no tools: all other modules of a worker are loaded before.
// Prints { ms, mib }.
import 'reflect-metadata';

const heap = () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
await import('../../../dist/remote-agents/remote.module.js');
await import('../../../dist/runs/worker.module.js');
const before = heap();
const began = performance.now();
await import('../../../dist/mcp-tools/tool.module.js');
const ms = performance.now() - began;
process.stdout.write(JSON.stringify({ ms, mib: (heap() - before) / 1_048_576 }));
process.exit(0);
