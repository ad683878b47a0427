import { setTimeout as pause } from 'node:timers/promises';

/** Progress of a Redis server that loads its data; it refuses nearly every command until it has finished. */
export interface Loading {
  /** 0 to 100. */
  readonly percent: number;
  /** The server's own estimate of the seconds left. */
  readonly etaSeconds: number;
}

export interface LoadingWait {
  /** Longest wait, ms. */
  readonly mostMs: number;
  /** Called with each progress, and with `silent` when no server answered. */
  readonly onLoading?: (loading: Loading | 'silent') => void;
}

/** A server that is still loading after the longest wait. The message ends the sentence "Redis …". */
export class StillLoading extends Error {
  override readonly name = 'StillLoading';
}

const POLL_MS = 250;

/** The progress in the answer to `INFO persistence`; undefined when the server has all its data. */
export function loadingOf(info: string): Loading | undefined {
  if (numberIn(info, 'loading') !== 1) return undefined;
  return { percent: numberIn(info, 'loading_loaded_perc'), etaSeconds: numberIn(info, 'loading_eta_seconds') };
}

/** The progress in readable form. */
export function loadingText(loading: Loading | 'silent'): string {
  if (loading === 'silent') return 'Redis takes connections and does not answer yet';
  const { percent, etaSeconds } = loading;
  return `Redis is loading its data: ${String(Math.floor(percent))} %, about ${String(Math.ceil(etaSeconds))} s left`;
}

/**
 * Resolves when no server is loading. A silent server is still loading: it serves its connections only between two
 * parts of its file.
 * @param ask returns the progress of the servers, undefined when all have loaded, `silent` when none answered
 * @throws StillLoading, and errors of `ask`
 */
export async function untilLoaded(
  ask: () => Promise<Loading | 'silent' | undefined>,
  wait: LoadingWait,
): Promise<void> {
  const deadline = Date.now() + wait.mostMs;
  for (;;) {
    const loading = await ask();
    if (loading === undefined) return;
    if (Date.now() > deadline) {
      const state = loading === 'silent' ? 'does not answer' : 'is still loading its data';
      throw new StillLoading(`${state} after ${String(wait.mostMs / 1000)} s`);
    }
    wait.onLoading?.(loading);
    await pause(POLL_MS);
  }
}

function numberIn(info: string, name: string): number {
  return Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
}
