import type { TaskPushNotificationConfig } from '../model/push-config.js';
import { taskNotFound } from '../model/errors.js';
import type { ListPushConfigsResponse, ResultOf, SendMessageResponse, UnaryOperation } from '../model/operations.js';
import { cardToV03 } from '../card/card-v0-3.js';
import type { WireCall } from '../codec/codec.js';
import { isJsonObject } from '../json/json-value.js';
import { METHOD_GET_PUSH_CONFIG } from './methods.js';
import { messageToV03 } from './translate/message.js';
import { pushConfigToLegacy } from '../legacy/push-config.js';
import { taskToV03 } from './translate/task.js';
import type { MessageV03, TaskPushConfigV03, TaskV03 } from './types.js';

/** 0.3 JSON-RPC results from v1 results: bare objects, bare arrays, and null after a delete (TRAP-41). */
export const ENCODERS_V03: { readonly [O in UnaryOperation]: (result: ResultOf<O>, call: WireCall) => unknown } = {
  SendMessage: sendMessageToV03,
  GetTask: taskToV03,
  ListTasks: ({ tasks }) => tasks.map(taskToV03),
  CancelTask: taskToV03,
  CreateTaskPushNotificationConfig: taskPushConfigToV03,
  GetTaskPushNotificationConfig: taskPushConfigToV03,
  ListTaskPushNotificationConfigs: (result, call) =>
    call.method === METHOD_GET_PUSH_CONFIG ? defaultConfig(result, call) : result.configs.map(taskPushConfigToV03),
  DeleteTaskPushNotificationConfig: () => null,
  GetExtendedAgentCard: (card) => cardToV03(card),
};

function sendMessageToV03(result: SendMessageResponse): TaskV03 | MessageV03 {
  return 'task' in result ? taskToV03(result.task) : messageToV03(result.message);
}

/** The result of `get` without a config id: the config with the task's id, else the first one (V02-10). */
function defaultConfig({ configs }: ListPushConfigsResponse, call: WireCall): unknown {
  const taskId = isJsonObject(call.params) ? call.params.id : undefined;
  const config = configs.find(({ id }) => id === taskId) ?? configs[0];
  if (config === undefined) throw taskNotFound();
  return taskPushConfigToV03(config);
}

function taskPushConfigToV03(config: TaskPushNotificationConfig): TaskPushConfigV03 {
  return { taskId: config.taskId ?? '', pushNotificationConfig: pushConfigToLegacy(config) };
}
