/** Push configs of the 0.3 HTTP+JSON binding: resource names on output; on input four shapes are about. */
import { invalidParams } from '../../model/errors.js';
import type { JsonObject } from '../../model/json.js';
import type { TaskPushNotificationConfig } from '../../model/push-config.js';
import { isJsonObject, member, nonEmpty } from '../../json/json-value.js';
import { pushConfigToLegacy, taskPushConfigFromLegacy } from '../../legacy/push-config.js';
import type { ProtoPushConfig } from './types.js';

export function pushConfigToProto(config: TaskPushNotificationConfig): ProtoPushConfig {
  const name = `tasks/${config.taskId ?? ''}/pushNotificationConfigs/${config.id ?? ''}`;
  return { name, pushNotificationConfig: pushConfigToLegacy(config) };
}

/**
 * Reads `{ parent, configId, config }`, `{ config }`, `{ name | taskId, pushNotificationConfig }` and the bare config.
 * The task is the one of the path; a body that names another is refused (A2A-PCFG-09).
 */
export function pushConfigFromRest(taskId: string, body: JsonObject): JsonObject {
  const named = nonEmpty(body, 'taskId', 'task_id');
  if (named !== undefined && named !== taskId) {
    throw invalidParams([{ field: 'taskId', description: 'must be the id of the task in the path' }]);
  }
  const outer = objectMember(body, 'config') ?? body;
  const config = objectMember(outer, 'pushNotificationConfig', 'push_notification_config') ?? outer;
  const id = nonEmpty(body, 'configId', 'config_id') ?? nonEmpty(config, 'id') ?? idOfName(member(outer, 'name'));
  return taskPushConfigFromLegacy(taskId, { ...config, id });
}

function objectMember(object: JsonObject, ...names: readonly string[]): JsonObject | undefined {
  const value = member(object, ...names);
  return isJsonObject(value) ? value : undefined;
}

function idOfName(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  const [, id] = /\/pushNotificationConfigs\/([^/]+)$/.exec(name) ?? [];
  return id;
}
