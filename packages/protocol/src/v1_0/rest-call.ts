import type { JsonObject } from '../model/json.js';
import type { OperationName } from '../model/operations.js';
import { withoutUnset } from '../json/json-value.js';

/** A call of the HTTP+JSON binding of 1.0 as its caller writes it. */
export interface RestCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the URL of the interface: path and query. */
  readonly path: string;
  readonly body?: JsonObject;
}

/** The HTTP+JSON call of an operation (A2A 1.0 §11.3). `tenant` becomes the first segment of the path. */
export function restCallV1(operation: OperationName, { tenant, ...params }: JsonObject): RestCall {
  const { method, path, body } = ROUTES[operation](params);
  const prefix = typeof tenant === 'string' && tenant !== '' ? `/${encodeURIComponent(tenant)}` : '';
  return { method, path: `${prefix}${path}`, ...(body === undefined ? {} : { body }) };
}

const ROUTES: Readonly<Record<OperationName, (params: JsonObject) => RestCall>> = {
  SendMessage: (params) => ({ method: 'POST', path: '/message:send', body: params }),
  SendStreamingMessage: (params) => ({ method: 'POST', path: '/message:stream', body: params }),
  GetTask: ({ id, ...query }) => ({ method: 'GET', path: `/tasks/${segment(id)}${queryOf(query)}` }),
  ListTasks: (query) => ({ method: 'GET', path: `/tasks${queryOf(query)}` }),
  CancelTask: ({ id, ...body }) => ({ method: 'POST', path: `/tasks/${segment(id)}:cancel`, body }),
  // POST in the text of the specification, GET in its proto: servers of the official SDKs take the POST (TRAP-04).
  SubscribeToTask: ({ id }) => ({ method: 'POST', path: `/tasks/${segment(id)}:subscribe`, body: {} }),
  CreateTaskPushNotificationConfig: ({ taskId, ...body }) => ({
    ...{ method: 'POST', path: `/tasks/${segment(taskId)}/pushNotificationConfigs`, body },
  }),
  GetTaskPushNotificationConfig: ({ taskId, id }) => ({ method: 'GET', path: configPath(taskId, id) }),
  ListTaskPushNotificationConfigs: ({ taskId, ...query }) => ({
    ...{ method: 'GET', path: `/tasks/${segment(taskId)}/pushNotificationConfigs${queryOf(query)}` },
  }),
  DeleteTaskPushNotificationConfig: ({ taskId, id }) => ({ method: 'DELETE', path: configPath(taskId, id) }),
  GetExtendedAgentCard: () => ({ method: 'GET', path: '/extendedAgentCard' }),
};

function configPath(taskId: unknown, id: unknown): string {
  return `/tasks/${segment(taskId)}/pushNotificationConfigs/${segment(id)}`;
}

function segment(value: unknown): string {
  return encodeURIComponent(String(value));
}

function queryOf(params: JsonObject): string {
  const query = new URLSearchParams(
    Object.entries(withoutUnset(params)).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}
