import type { ListPushConfigsResponse, ResultOf, UnaryOperation } from '../model/operations.js';
import type { TaskPushNotificationConfig } from '../model/push-config.js';
import { pushConfigToLegacy } from '../legacy/push-config.js';
import { messageAsTask, taskToV01 } from './translate/task.js';
import type { TaskPushConfigV01 } from './types.js';

/** The facts of a call that its 0.1 response needs. */
export interface AskedV01 {
  /** The id that the client knows the task by. Empty where no client asked: a webhook's body is written as if one had. */
  readonly id: string;
  readonly withHistory: boolean;
}

/** 0.1 results from v1 results; null for operations that no method of 0.1 reaches. */
export const ENCODERS_V01: { readonly [O in UnaryOperation]: (result: ResultOf<O>, asked: AskedV01) => unknown } = {
  SendMessage: (result, { id, withHistory }) =>
    'task' in result ? taskToV01(result.task, id, withHistory) : messageAsTask(result.message, id),
  GetTask: (task, { id, withHistory }) => taskToV01(task, id === '' ? task.id : id, withHistory),
  ListTasks: () => null,
  CancelTask: (task, { id }) => taskToV01(task, id, false),
  CreateTaskPushNotificationConfig: (config, { id }) => pushConfigToV01(config, id),
  GetTaskPushNotificationConfig: (config, { id }) => pushConfigToV01(config, id),
  ListTaskPushNotificationConfigs: (result, { id }) => pushConfigToV01(theConfig(result, id), id),
  DeleteTaskPushNotificationConfig: (_result, { id }) => pushConfigToV01(undefined, id),
  GetExtendedAgentCard: () => null,
};

function pushConfigToV01(config: TaskPushNotificationConfig | undefined, id: string): TaskPushConfigV01 {
  if (config === undefined) return { id, pushNotificationConfig: null };
  const { id: _notIn01, ...pushNotificationConfig } = pushConfigToLegacy(config);
  return { id, pushNotificationConfig };
}

/** The one that 0.1 set, else one that a caller of another version set. */
function theConfig({ configs }: ListPushConfigsResponse, id: string): TaskPushNotificationConfig | undefined {
  return configs.find((config) => config.id === id) ?? configs[0];
}
