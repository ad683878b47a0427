import { setTimeout as pause } from 'node:timers/promises';
import type { Task } from '@parley/protocol/model/task.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';

/** Outcome of one call: an answer of the service, or nothing that could be read. */
export interface Answer {
  readonly status: number;
  /** Seconds, as the header says. */
  readonly retryAfter?: string;
  readonly result?: Record<string, unknown> & { readonly task?: Task };
  readonly error?: { readonly code: number; readonly message: string };
  /** Why there is no answer: it is unknown whether the call had an effect. */
  readonly lost?: string;
  readonly ms: number;
}

const TIMEOUT_MS = 10_000;

/** One JSON-RPC call to one replica. Never throws. */
export async function call(url: string, method: string, params: unknown, timeoutMs = TIMEOUT_MS): Promise<Answer> {
  const began = performance.now();
  const ms = (): number => Math.round(performance.now() - began);
  try {
    const response = await fetch(`${url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { result, error } = (await response.json()) as Answer;
    const retryAfter = response.headers.get('retry-after');
    return {
      ...{ status: response.status, ms: ms(), ...(retryAfter === null ? {} : { retryAfter }) },
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
    };
  } catch (error) {
    return { status: 0, lost: error instanceof Error ? `${error.name} ${error.message}` : String(error), ms: ms() };
  }
}

/** Order for the steps skill. */
export interface Plan {
  readonly steps: number;
  readonly pauseMs: number;
  readonly asks: boolean;
}

export interface Order {
  readonly messageId: string;
  readonly skillId: string;
  readonly plan: Plan;
  /** The address of its webhook. */
  readonly hook?: string;
  /** Whether its caller reads the task's stream to its end. */
  readonly isRead?: boolean;
  /** Ms from its acceptance to its cancel. */
  readonly canceledAfterMs?: number;
}

export function paramsOf({ messageId, skillId, plan, hook }: Order, returnImmediately = true): unknown {
  return {
    message: { messageId, role: 'ROLE_USER', parts: [{ text: 'go' }], metadata: { skillId } },
    metadata: { plan },
    configuration: {
      returnImmediately,
      ...(hook === undefined ? {} : { taskPushNotificationConfig: { url: hook } }),
    },
  };
}

/** Addresses to try, as they are at the moment. */
export type Replicas = () => readonly string[];

/** Calls until some replica gives an answer of the service, as a careful client does: any may be dead or cut off. */
export async function insist(replicas: Replicas, method: string, params: unknown): Promise<Answer & { tries: number }> {
  for (let tries = 1; ; tries += 1) {
    const urls = replicas();
    const url = urls[Math.floor(Math.random() * urls.length)];
    const answer = url === undefined ? undefined : await call(url, method, params);
    const isAnswered = answer !== undefined && answer.lost === undefined && answer.status < 500;
    if (isAnswered && answer.status !== 429) return { ...answer, tries };
    await pause(Math.min(50 * tries, 500));
  }
}

/** How many of the caller's tasks are in a state. */
export async function countOf(replicas: Replicas, status: TaskState): Promise<number> {
  const { result } = await insist(replicas, 'ListTasks', { status, pageSize: 1 });
  return Number(result?.totalSize ?? Number.NaN);
}

export async function idsOf(replicas: Replicas, status: TaskState): Promise<readonly string[]> {
  const { result } = await insist(replicas, 'ListTasks', { status, pageSize: 100, historyLength: 0 });
  return ((result?.tasks ?? []) as readonly Task[]).map(({ id }) => id);
}
