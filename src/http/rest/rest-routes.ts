import type { OperationName } from '@parley/protocol/model/operations.js';
import type { RestResource } from './rest-path.js';

export type RestMethod = 'GET' | 'POST' | 'DELETE';

/**
 * The operation behind each method of each resource (A2A 1.0 §5.3, §11.3). Subscribing is POST in the text of the
 * specification and GET in its proto: both are served (TRAP-04).
 */
export const REST_ROUTES: Readonly<Record<RestResource, Readonly<Partial<Record<RestMethod, OperationName>>>>> = {
  'message:send': { POST: 'SendMessage' },
  'message:stream': { POST: 'SendStreamingMessage' },
  tasks: { GET: 'ListTasks' },
  task: { GET: 'GetTask' },
  'task:cancel': { POST: 'CancelTask' },
  'task:subscribe': { GET: 'SubscribeToTask', POST: 'SubscribeToTask' },
  configs: { GET: 'ListTaskPushNotificationConfigs', POST: 'CreateTaskPushNotificationConfig' },
  config: { GET: 'GetTaskPushNotificationConfig', DELETE: 'DeleteTaskPushNotificationConfig' },
  card: { GET: 'GetExtendedAgentCard' },
};

/** The operation of a method; undefined for one that the resource lacks. */
export function operationAt(resource: RestResource, method: string): OperationName | undefined {
  return isRestMethod(method) ? REST_ROUTES[resource][method] : undefined;
}

/** The methods of a resource, for the `Allow` header of a 405. */
export function methodsOf(resource: RestResource): readonly string[] {
  return Object.keys(REST_ROUTES[resource]);
}

function isRestMethod(method: string): method is RestMethod {
  return method === 'GET' || method === 'POST' || method === 'DELETE';
}
