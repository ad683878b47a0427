import { invalidParams } from '../protocol/errors.js';
import { Json } from '../protocol/json.js';
import type { PushConfigs } from '../push/config/push-configs.js';
import { PushConfigDto } from './dto/push-config.dto.js';
import { ListPushConfigsDto, PushConfigIdDto } from './dto/push-config-id.dto.js';
import type { Operation } from './operation.js';
import { type OperationTable, undeclared } from './operation-table.js';
import { pageToken, placeOf } from './page-token.js';
import { pushCallerOf } from './push-caller.js';

type PushRows = Pick<OperationTable, Extract<keyof OperationTable, `${string}PushNotification${string}`>>;

/**
 * The four operations on webhooks of a task (A2A 1.0 §3.1.7 to §3.1.10). Without the webhook module the card declares no
 * webhooks, and all four refuse (A2A-PCFG-01).
 */
export function pushConfigOperations(configs: PushConfigs | undefined): PushRows {
  const operations = configs === undefined ? undefined : new PushConfigOperations(configs);
  const refused = undeclared('PushNotificationNotSupported', 'Push notifications are not supported');
  return {
    CreateTaskPushNotificationConfig: { params: PushConfigDto, operation: operations?.create ?? refused },
    GetTaskPushNotificationConfig: { params: PushConfigIdDto, operation: operations?.get ?? refused },
    ListTaskPushNotificationConfigs: { params: ListPushConfigsDto, operation: operations?.list ?? refused },
    DeleteTaskPushNotificationConfig: { params: PushConfigIdDto, operation: operations?.delete ?? refused },
  };
}

class PushConfigOperations {
  readonly create: Operation<'CreateTaskPushNotificationConfig'> = {
    execute: async (config, call) => {
      const { taskId } = config;
      if (taskId === undefined || taskId === '') throw invalidParams([{ field: 'taskId', description: 'is required' }]);
      return Json.of(await this.configs.create(call.owner, config, pushCallerOf(taskId, call)));
    },
  };

  readonly get: Operation<'GetTaskPushNotificationConfig'> = {
    execute: async ({ taskId, id }, { owner }) => Json.of(await this.configs.get(owner, taskId, id)),
  };

  /** All webhooks of a task, or a page of them. */
  readonly list: Operation<'ListTaskPushNotificationConfigs'> = {
    execute: async ({ taskId, pageSize, pageToken: token }, { owner }) => {
      const after = placeOf(token, [owner, taskId]);
      const rest = (await this.configs.list(owner, taskId)).filter(({ id = '' }) => after === undefined || id > after);
      const configs = rest.slice(0, pageSize ?? rest.length);
      const last = configs.at(-1)?.id;
      const more = configs.length < rest.length && last !== undefined;
      return Json.of({ configs, nextPageToken: more ? pageToken(last, [owner, taskId]) : '' });
    },
  };

  /** Also succeeds for a webhook that is not there. */
  readonly delete: Operation<'DeleteTaskPushNotificationConfig'> = {
    execute: async ({ taskId, id }, { owner }) => {
      await this.configs.delete(owner, taskId, id);
      return Json.of({});
    },
  };

  constructor(private readonly configs: PushConfigs) {}
}
