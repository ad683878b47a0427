import { invalidParams } from '../protocol/errors.js';
import { Json } from '../protocol/json.js';
import type { TaskPushNotificationConfig } from '../protocol/push-config.js';
import { PushConfigs } from '../push/config/push-configs.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';
import { pushCallerOf } from './push-caller.js';

/** CreateTaskPushNotificationConfig (A2A 1.0 §3.1.7). */
export class CreatePushConfigOperation implements Operation<'CreateTaskPushNotificationConfig'> {
  constructor(private readonly configs: PushConfigs) {}

  async execute(config: TaskPushNotificationConfig, call: Call): Promise<Json<TaskPushNotificationConfig>> {
    const { taskId } = config;
    if (taskId === undefined || taskId === '') throw invalidParams([{ field: 'taskId', description: 'is required' }]);
    return Json.of(await this.configs.create(call.owner, config, pushCallerOf(taskId, call)));
  }
}
