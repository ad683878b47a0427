import type { PushCaller } from '../webhooks/config/push-configs.js';
import type { Call } from './call.js';

/** The caller that registers a webhook, as stored with it. */
export function pushCallerOf(taskId: string, { principal, version, legacy }: Call): PushCaller {
  const clientTaskId = legacy?.clientTaskId;
  return {
    ...{ taskId, tenant: principal.tenant, client: principal.client, dialect: version },
    ...(principal.subject === undefined ? {} : { subject: principal.subject }),
    ...(clientTaskId === undefined ? {} : { clientTaskId }),
  };
}
