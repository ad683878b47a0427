import { invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';

/** The parts of a 0.3 resource name; missing ones are empty. */
export interface ResourceName {
  readonly taskId: string;
  readonly configId: string;
}

/**
 * Reads the `name` or `parent` of a 0.3 gRPC request: `tasks/{id}`, or `tasks/{id}/pushNotificationConfigs/{config}`.
 * Ids may contain any characters. Throws `A2AError` InvalidParams for a name of another form.
 */
export function readResourceName(request: JsonObject): ResourceName {
  const field = typeof request.name === 'string' ? 'name' : 'parent';
  const name = request[field];
  if (typeof name !== 'string') return { taskId: '', configId: '' };
  const [, taskId, configId = ''] = /^tasks\/(.+?)(?:\/pushNotificationConfigs(?:\/(.+))?)?$/.exec(name) ?? [];
  if (taskId !== undefined) return { taskId, configId };
  throw invalidParams([{ field, description: 'must have the form tasks/{id}' }]);
}
