import { Json } from '../protocol/json.js';
import type { ListPushConfigsRequest, ListPushConfigsResponse } from '../protocol/operations.js';
import { PushConfigs } from '../push/config/push-configs.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';
import { pageToken, placeOf } from './page-token.js';

/** ListTaskPushNotificationConfigs (A2A 1.0 §3.1.9): all webhooks of a task, or a page of them. */
export class ListPushConfigsOperation implements Operation<'ListTaskPushNotificationConfigs'> {
  constructor(private readonly configs: PushConfigs) {}

  async execute(
    { taskId, pageSize, pageToken: token }: ListPushConfigsRequest,
    { owner }: Call,
  ): Promise<Json<ListPushConfigsResponse>> {
    const after = placeOf(token, [owner, taskId]);
    const rest = (await this.configs.list(owner, taskId)).filter(({ id = '' }) => after === undefined || id > after);
    const configs = rest.slice(0, pageSize ?? rest.length);
    const last = configs.at(-1)?.id;
    const more = configs.length < rest.length && last !== undefined;
    return Json.of({ configs, nextPageToken: more ? pageToken(last, [owner, taskId]) : '' });
  }
}
