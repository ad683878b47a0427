import { Injectable, Optional } from '@nestjs/common';
import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import { Json } from '@parley/protocol/model/json.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import type { ParamsOf, ResultOf } from '@parley/protocol/model/operations.js';
import { PushConfigs } from '../webhooks/config/push-configs.js';
import { TaskStore } from '../tasks/store/task.store.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';
import { pageToken, cursorOf } from './page-token.js';
import { pushCallerOf } from './push-caller.js';
import { StorageRoom } from './send/storage-room.js';

/**
 * The base of the four operations on webhooks of a task (A2A 1.0 §3.1.7 to §3.1.10). Without the webhook module the
 * card declares no webhooks, and all four refuse (A2A-PCFG-01).
 */
@Injectable()
class PushConfigOperation {
  constructor(@Optional() private readonly pushConfigs?: PushConfigs) {}

  /** @throws A2AError when webhooks are not served */
  protected get configs(): PushConfigs {
    if (this.pushConfigs !== undefined) return this.pushConfigs;
    throw new A2AError('PushNotificationNotSupported', 'Push notifications are not supported');
  }
}

@Injectable()
export class CreatePushConfigOperation
  extends PushConfigOperation
  implements Operation<'CreateTaskPushNotificationConfig'>
{
  constructor(
    private readonly tasks: TaskStore,
    private readonly room: StorageRoom,
    @Optional() pushConfigs?: PushConfigs,
  ) {
    super(pushConfigs);
  }

  async execute(
    config: ParamsOf<'CreateTaskPushNotificationConfig'>,
    call: Call,
  ): Promise<Json<ResultOf<'CreateTaskPushNotificationConfig'>>> {
    const { configs } = this;
    const { taskId } = config;
    if (taskId === undefined || taskId === '') throw invalidParams([{ field: 'taskId', description: 'is required' }]);
    if ((await this.tasks.begun(call.owner, taskId))?.metadata[SIMULATED] === true) {
      throw new A2AError('UnsupportedOperation', 'The task is simulated: nothing leaves the service');
    }
    await this.room.requireForWebhook(call.principal, config);
    return Json.of(await configs.create(call.owner, config, pushCallerOf(taskId, call)));
  }
}

@Injectable()
export class GetPushConfigOperation extends PushConfigOperation implements Operation<'GetTaskPushNotificationConfig'> {
  async execute(
    { taskId, id }: ParamsOf<'GetTaskPushNotificationConfig'>,
    { owner }: Call,
  ): Promise<Json<ResultOf<'GetTaskPushNotificationConfig'>>> {
    return Json.of(await this.configs.get(owner, taskId, id));
  }
}

/** All webhooks of a task, or a page of them. */
@Injectable()
export class ListPushConfigsOperation
  extends PushConfigOperation
  implements Operation<'ListTaskPushNotificationConfigs'>
{
  async execute(
    { taskId, pageSize, pageToken: token }: ParamsOf<'ListTaskPushNotificationConfigs'>,
    { owner }: Call,
  ): Promise<Json<ResultOf<'ListTaskPushNotificationConfigs'>>> {
    const { configs } = this;
    const after = cursorOf(token, [owner, taskId]);
    const rest = (await configs.list(owner, taskId)).filter(({ id = '' }) => after === undefined || id > after);
    const page = rest.slice(0, pageSize ?? rest.length);
    const last = page.at(-1)?.id;
    const more = page.length < rest.length && last !== undefined;
    return Json.of({ configs: page, nextPageToken: more ? pageToken(last, [owner, taskId]) : '' });
  }
}

/** Also succeeds for a missing webhook. */
@Injectable()
export class DeletePushConfigOperation
  extends PushConfigOperation
  implements Operation<'DeleteTaskPushNotificationConfig'>
{
  async execute(
    { taskId, id }: ParamsOf<'DeleteTaskPushNotificationConfig'>,
    { owner }: Call,
  ): Promise<Json<ResultOf<'DeleteTaskPushNotificationConfig'>>> {
    await this.configs.delete(owner, taskId, id);
    return Json.of({});
  }
}
