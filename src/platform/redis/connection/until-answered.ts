import { setTimeout as pause } from 'node:timers/promises';
import { isRedisOutage } from './redis-outage.js';

const PAUSE_MS = 500;

/** Called with the reason of each attempt that failed. */
export type OnOutage = (reason: string) => void;

/**
 * Repeats work of the start while Redis is unavailable: a process that exited instead would meet the same Redis at its
 * next start. Rejects with every other error.
 */
export async function untilAnswered<T>(work: () => Promise<T>, onOutage: OnOutage): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error) || !isRedisOutage(error)) throw error;
      onOutage(error.message);
    }
    await pause(PAUSE_MS);
  }
}
