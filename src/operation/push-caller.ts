import type { PushCaller } from '../push/config/push-configs.js';
import type { Call } from './call.js';

/** Who registers a webhook for a task, as the webhooks remember it. */
export function pushCallerOf(taskId: string, { principal, version, legacy }: Call): PushCaller {
  const clientTaskId = legacy?.clientTaskId;
  return {
    ...{ taskId, tenant: principal.tenant, client: principal.client, dialect: version },
    ...(clientTaskId === undefined ? {} : { clientTaskId }),
  };
}
