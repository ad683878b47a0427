import { Json } from '../protocol/json.js';
import type { PushConfigRequest } from '../protocol/operations.js';
import type { TaskPushNotificationConfig } from '../protocol/push-config.js';
import { PushConfigs } from '../push/config/push-configs.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';

/** GetTaskPushNotificationConfig (A2A 1.0 §3.1.8). */
export class GetPushConfigOperation implements Operation<'GetTaskPushNotificationConfig'> {
  constructor(private readonly configs: PushConfigs) {}

  async execute({ taskId, id }: PushConfigRequest, { owner }: Call): Promise<Json<TaskPushNotificationConfig>> {
    return Json.of(await this.configs.get(owner, taskId, id));
  }
}
