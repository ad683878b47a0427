import type { OperationName } from '../model/operations.js';
import { isJsonObject } from '../json/json-value.js';

export const METHOD_RESUBSCRIBE = 'tasks/resubscribe';
const METHOD_SET_PUSH_CONFIG = 'tasks/pushNotification/set';

const OPERATIONS: ReadonlyMap<string, OperationName> = new Map([
  ['tasks/send', 'SendMessage'],
  ['tasks/sendSubscribe', 'SendStreamingMessage'],
  ['tasks/get', 'GetTask'],
  ['tasks/cancel', 'CancelTask'],
  [METHOD_RESUBSCRIBE, 'SubscribeToTask'],
  [METHOD_SET_PUSH_CONFIG, 'CreateTaskPushNotificationConfig'],
  // A task of 0.1 has one config or none, and a request for none is not an error there: so it is read from the list.
  ['tasks/pushNotification/get', 'ListTaskPushNotificationConfigs'],
]);

export const METHODS_V01: readonly string[] = [...OPERATIONS.keys()];

/** The operation behind a 0.1 method. Setting the push config to null clears it (v0.1 §7.5). */
export function operationOfV01(method: string, params: unknown): OperationName | undefined {
  const clears = isJsonObject(params) && params.pushNotificationConfig === null;
  if (method === METHOD_SET_PUSH_CONFIG && clears) return 'DeleteTaskPushNotificationConfig';
  return OPERATIONS.get(method);
}
