import type { OperationName } from '@parley/protocol/model/operations.js';

/** Calls that change state and calls that only read have separate rates. */
export type MethodClass = 'read' | 'write';

/** The cost of a call, in units of the rate limit of its class. */
export interface MethodCost {
  readonly class: MethodClass;
  readonly cost: number;
}

/** The cost of each operation, by the work it causes. */
export const METHOD_COST: Readonly<Record<OperationName, MethodCost>> = {
  SendMessage: { class: 'write', cost: 5 },
  SendStreamingMessage: { class: 'write', cost: 5 },
  CancelTask: { class: 'write', cost: 1 },
  CreateTaskPushNotificationConfig: { class: 'write', cost: 1 },
  DeleteTaskPushNotificationConfig: { class: 'write', cost: 1 },
  GetTask: { class: 'read', cost: 1 },
  ListTasks: { class: 'read', cost: 2 },
  SubscribeToTask: { class: 'read', cost: 2 },
  GetTaskPushNotificationConfig: { class: 'read', cost: 1 },
  ListTaskPushNotificationConfigs: { class: 'read', cost: 1 },
  GetExtendedAgentCard: { class: 'read', cost: 1 },
};

/** The most expensive call of a class: the minimum burst of its rate. */
export function highestCost(methodClass: MethodClass): number {
  return Math.max(...Object.values(METHOD_COST).map((row) => (row.class === methodClass ? row.cost : 0)));
}
