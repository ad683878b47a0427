import type { OperationName } from '../model/operations.js';
import { isJsonObject, nonEmpty } from '../json/json-value.js';

export const METHOD_GET_PUSH_CONFIG = 'tasks/pushNotificationConfig/get';

const OPERATIONS: ReadonlyMap<string, OperationName> = new Map([
  ['message/send', 'SendMessage'],
  ['message/stream', 'SendStreamingMessage'],
  ['tasks/get', 'GetTask'],
  ['tasks/cancel', 'CancelTask'],
  ['tasks/resubscribe', 'SubscribeToTask'],
  ['tasks/pushNotificationConfig/set', 'CreateTaskPushNotificationConfig'],
  [METHOD_GET_PUSH_CONFIG, 'GetTaskPushNotificationConfig'],
  ['tasks/pushNotificationConfig/list', 'ListTaskPushNotificationConfigs'],
  ['tasks/pushNotificationConfig/delete', 'DeleteTaskPushNotificationConfig'],
  ['agent/getAuthenticatedExtendedCard', 'GetExtendedAgentCard'],
  // v0.3 §11.1.3 spells it so, its types the other way.
  ['agent/authenticatedExtendedCard', 'GetExtendedAgentCard'],
]);

export const METHODS_V03: readonly string[] = [...OPERATIONS.keys()];

/**
 * The operation of a 0.3 method. A push config requested without its id is read from the list of the task's configs,
 * because 1.0 has no default config (V02-10).
 */
export function operationOfV03(method: string, params: unknown): OperationName | undefined {
  const asksForDefault = isJsonObject(params) && nonEmpty(params, 'pushNotificationConfigId') === undefined;
  if (method === METHOD_GET_PUSH_CONFIG && asksForDefault) return 'ListTaskPushNotificationConfigs';
  return OPERATIONS.get(method);
}
