import type { System } from '../system/system.js';
import type { WorkerProcess } from '../system/worker-process.js';

export interface WeighedStreams {
  readonly system: System;
  readonly readers: WorkerProcess;
  /** Kind of the opened streams: of `SubscribeToTask`, or of `subscriptions/listen`. */
  readonly order: 'subscribe' | 'listen';
  readonly count: number;
}

/** Opens streams of tasks that wait. Returns the share of each in a measure of the process that serves them, in bytes. */
export async function weighStreams(
  { system, readers, order, count }: WeighedStreams,
  measure: () => Promise<number>,
): Promise<number> {
  const { url, headers } = system;
  const open = (times: number): Promise<number> => readers.do({ order, url, headers, count: times });
  // Code loaded by the first streams stays: it belongs to no stream.
  await open(20);
  const before = await measure();
  await open(count);
  await system.quiet();
  return ((await measure()) - before) / count;
}
