import { Json } from '../protocol/json.js';
import type { PushConfigRequest } from '../protocol/operations.js';
import { PushConfigs } from '../push/config/push-configs.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';

/** DeleteTaskPushNotificationConfig (A2A 1.0 §3.1.10): also succeeds for a webhook that is not there. */
export class DeletePushConfigOperation implements Operation<'DeleteTaskPushNotificationConfig'> {
  constructor(private readonly configs: PushConfigs) {}

  async execute({ taskId, id }: PushConfigRequest, { owner }: Call): Promise<Json<Record<string, never>>> {
    await this.configs.delete(owner, taskId, id);
    return Json.of({});
  }
}
