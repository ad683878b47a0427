import type { JsonObject } from '../model/json.js';
import type { OperationName } from '../model/operations.js';
import { member, withoutUnset } from '../json/json-value.js';
import { taskPushConfigFromLegacy } from '../legacy/push-config.js';
import { sendMessageFromV03 } from './translate/send-message.js';

/**
 * v1 params from 0.3 JSON-RPC params, not yet validated. Every object is built anew: 0.3 has no `tenant`, and a member
 * that only 1.0 knows must not slip through (A2A-TEN-05).
 */
export const DECODERS_V03: Readonly<Record<OperationName, (params: JsonObject) => JsonObject>> = {
  SendMessage: sendMessageFromV03,
  SendStreamingMessage: sendMessageFromV03,
  GetTask: (params) => withoutUnset({ id: member(params, 'id'), historyLength: member(params, 'historyLength') }),
  ListTasks: () => ({}),
  CancelTask: (params) => withoutUnset({ id: member(params, 'id'), metadata: member(params, 'metadata') }),
  SubscribeToTask: (params) => withoutUnset({ id: member(params, 'id') }),
  CreateTaskPushNotificationConfig: (params) =>
    taskPushConfigFromLegacy(member(params, 'taskId', 'id'), member(params, 'pushNotificationConfig')),
  GetTaskPushNotificationConfig: taskAndConfigId,
  ListTaskPushNotificationConfigs: (params) => withoutUnset({ taskId: member(params, 'id', 'taskId') }),
  DeleteTaskPushNotificationConfig: taskAndConfigId,
  GetExtendedAgentCard: () => ({}),
};

function taskAndConfigId(params: JsonObject): JsonObject {
  return withoutUnset({ taskId: member(params, 'id', 'taskId'), id: member(params, 'pushNotificationConfigId') });
}
