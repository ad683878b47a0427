import type { System } from '../system/system.js';
import type { WorkerProcess } from '../system/worker-process.js';

export interface WeighedStreams {
  readonly system: System;
  readonly readers: WorkerProcess;
  /** What the readers open: streams of `SubscribeToTask`, or of `subscriptions/listen`. */
  readonly order: 'subscribe' | 'listen';
  readonly count: number;
}

/** Opens streams of tasks that wait. Returns what each takes of a measure of the process that serves them, in bytes. */
export async function weighStreams(
  { system, readers, order, count }: WeighedStreams,
  measure: () => Promise<number>,
): Promise<number> {
  const { url, headers } = system;
  const open = (times: number): Promise<number> => readers.do({ order, url, headers, count: times });
  // What the first streams load stays loaded: it is no stream's.
  await open(20);
  const before = await measure();
  await open(count);
  await system.quiet();
  return ((await measure()) - before) / count;
}
