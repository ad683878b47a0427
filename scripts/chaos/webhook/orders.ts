import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { insist, type Replicas } from '../load/caller.js';
import type { Random } from '../load/random.js';

export interface OrdersOptions {
  readonly tasks: number;
  /** Begun in a second. */
  readonly tasksPerSecond: number;
  /** Steps of the skill: each commits a status and a chunk. */
  readonly steps: number;
  readonly pauseMs: number;
  /** The webhooks of a task, the first of which comes with the message. */
  readonly urlsOf: (order: number) => readonly string[];
  /** Ends the orders before all tasks are begun. */
  readonly isEnough?: () => boolean;
}

/** Begins tasks at an even rate, each with its webhooks; gives their ids. */
export async function order(options: OrdersOptions, replicas: Replicas, random: Random): Promise<readonly string[]> {
  const orders: Promise<string>[] = [];
  const isEnough = options.isEnough ?? (() => false);
  for (let n = 0; n < options.tasks && !isEnough(); n += 1) {
    orders.push(orderOne(options, n, replicas));
    await pause((1000 / options.tasksPerSecond) * (0.5 + random.between(0, 100) / 100));
  }
  return Promise.all(orders);
}

async function orderOne({ steps, pauseMs, urlsOf }: OrdersOptions, n: number, replicas: Replicas): Promise<string> {
  const [url, ...others] = urlsOf(n);
  const { result, error } = await insist(replicas, 'SendMessage', {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }], metadata: { skillId: 'steps' } },
    metadata: { plan: { steps, pauseMs, asks: false } },
    configuration: { returnImmediately: true, taskPushNotificationConfig: { url } },
  });
  const taskId = result?.task?.id;
  if (taskId === undefined) throw new Error(`SendMessage: ${error?.message ?? 'no task in the answer'}`);
  await Promise.all(
    others.map((other) => insist(replicas, 'CreateTaskPushNotificationConfig', { taskId, url: other })),
  );
  return taskId;
}
