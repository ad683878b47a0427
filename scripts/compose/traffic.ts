import { setTimeout as pause } from 'node:timers/promises';
import { aMessage, type RpcClient } from '../../test/kit/callers/rpc-client.js';

const ANSWER_MS = 30_000;
/** Pause between two calls, ms: about three a second. */
const PAUSE_MS = 300;

/** The outcome of a time with calls. */
export interface Counted {
  readonly calls: number;
  /** Calls without the answer of the service, each with its reason. */
  readonly failed: readonly string[];
  /** Tasks of accepted calls. */
  readonly tasks: readonly string[];
  readonly slowestMs: number;
}

/** Calls the service one after the other, without repeating any, while `work` is done. */
export async function underTraffic(client: RpcClient, work: () => Promise<void>): Promise<Counted> {
  const [failed, tasks]: [string[], string[]] = [[], []];
  let [calls, slowestMs, isDone] = [0, 0, false];
  const caller = (async (): Promise<void> => {
    while (!isDone) {
      const began = performance.now();
      calls += 1;
      await answered(client.task('SendMessage', aMessage('Hello')))
        .then(({ id }) => tasks.push(id))
        .catch((error: unknown) => failed.push(error instanceof Error ? error.message : String(error)));
      slowestMs = Math.max(slowestMs, performance.now() - began);
      await pause(PAUSE_MS);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await caller;
  }
  return { calls, failed, tasks, slowestMs: Math.round(slowestMs) };
}

/** Those of the tasks that are not COMPLETED. */
export async function notCompleted(client: RpcClient, tasks: readonly string[]): Promise<readonly string[]> {
  const states = await Promise.all(
    tasks.map(async (id) => (await answered(client.task('GetTask', { id }))).status.state),
  );
  return tasks.filter((_, index) => states[index] !== 'TASK_STATE_COMPLETED');
}

/** A connection that a starting container has taken and dropped may have no end. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ANSWER_MS, new Error('No answer'));
  });
  return Promise.race([call, late]).finally(() => {
    clearTimeout(timer);
  });
}
