import type { DescService, JsonValue } from '@bufbuild/protobuf';
import { SERVICE_V03, SERVICE_V1 } from '../../../src/http/grpc/schema/schema.js';
import type { OperationName } from '@parley/protocol/model/operations.js';

/** What a call is about; none of it needs to exist. */
export interface Subject {
  readonly taskId: string;
  readonly contextId?: string;
  readonly configId: string;
  readonly messageId: string;
  readonly tenant?: string;
}

/** A call as it goes over HTTP. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly version: string | undefined;
  readonly body?: string;
}

/** A call as it goes over gRPC: a method of a service, and its message as ProtoJSON. */
export interface GrpcCall {
  readonly service: DescService;
  readonly name: string;
  readonly message: JsonValue;
}

export type WireCall = { readonly http: HttpCall } | { readonly grpc: GrpcCall };

/** One dialect on one binding: how each operation that it has is called. */
export interface Way {
  readonly name: string;
  readonly calls: Readonly<Partial<Record<OperationName, (subject: Subject) => WireCall>>>;
}

const WEBHOOK = 'https://hooks.example.com/a2a';

function rpc(version: string | undefined, method: string, params: object, path = '/'): WireCall {
  return {
    http: { method: 'POST', path, version, body: JSON.stringify({ jsonrpc: '2.0', id: 'same', method, params }) },
  };
}

function rest(method: HttpCall['method'], path: string, body?: object): WireCall {
  const version = path.startsWith('/v1/') ? undefined : '1.0';
  return { http: { method, path, version, ...(body === undefined ? {} : { body: JSON.stringify(body) }) } };
}

function grpc(service: DescService, name: string, message: JsonValue): WireCall {
  return { grpc: { service, name, message } };
}

const tenancy = ({ tenant }: Subject): { tenant?: string } => (tenant === undefined ? {} : { tenant });

function messageV1(subject: Subject): { message: Record<string, JsonValue> } {
  const { taskId, contextId, messageId } = subject;
  const ids = { messageId, ...(taskId === '' ? {} : { taskId }), ...(contextId === undefined ? {} : { contextId }) };
  return { message: { ...ids, role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
}

function messageV03(subject: Subject): object {
  const { message } = messageV1(subject);
  return { message: { ...message, kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'hello' }] } };
}

function messageV03Proto(subject: Subject): Record<string, JsonValue> {
  const { parts, ...message } = messageV1(subject).message;
  return { ...message, content: parts ?? [] };
}

const V1 = (method: string, paramsOf: (subject: Subject) => object) => {
  return (subject: Subject) => rpc('1.0', method, { ...tenancy(subject), ...paramsOf(subject) });
};

const RPC_V1: Way = {
  name: 'JSON-RPC 1.0',
  calls: {
    SendMessage: V1('SendMessage', messageV1),
    SendStreamingMessage: V1('SendStreamingMessage', messageV1),
    GetTask: V1('GetTask', ({ taskId: id }) => ({ id })),
    ListTasks: V1('ListTasks', ({ contextId }) => ({ contextId })),
    CancelTask: V1('CancelTask', ({ taskId: id }) => ({ id })),
    SubscribeToTask: V1('SubscribeToTask', ({ taskId: id }) => ({ id })),
    CreateTaskPushNotificationConfig: V1('CreateTaskPushNotificationConfig', ({ taskId }) => ({
      taskId,
      url: WEBHOOK,
    })),
    GetTaskPushNotificationConfig: V1('GetTaskPushNotificationConfig', ({ taskId, configId: id }) => ({ taskId, id })),
    ListTaskPushNotificationConfigs: V1('ListTaskPushNotificationConfigs', ({ taskId }) => ({ taskId })),
    DeleteTaskPushNotificationConfig: V1('DeleteTaskPushNotificationConfig', ({ taskId, configId: id }) => ({
      taskId,
      id,
    })),
    GetExtendedAgentCard: V1('GetExtendedAgentCard', () => ({})),
  },
};

const RPC_V03: Way = {
  name: 'JSON-RPC 0.3',
  calls: {
    SendMessage: (subject) => rpc('0.3', 'message/send', messageV03(subject)),
    SendStreamingMessage: (subject) => rpc('0.3', 'message/stream', messageV03(subject)),
    GetTask: ({ taskId: id }) => rpc('0.3', 'tasks/get', { id }),
    CancelTask: ({ taskId: id }) => rpc('0.3', 'tasks/cancel', { id }),
    SubscribeToTask: ({ taskId: id }) => rpc('0.3', 'tasks/resubscribe', { id }),
    CreateTaskPushNotificationConfig: ({ taskId }) =>
      rpc('0.3', 'tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: { url: WEBHOOK } }),
    GetTaskPushNotificationConfig: ({ taskId: id, configId: pushNotificationConfigId }) =>
      rpc('0.3', 'tasks/pushNotificationConfig/get', { id, pushNotificationConfigId }),
    ListTaskPushNotificationConfigs: ({ taskId: id }) => rpc('0.3', 'tasks/pushNotificationConfig/list', { id }),
    DeleteTaskPushNotificationConfig: ({ taskId: id, configId: pushNotificationConfigId }) =>
      rpc('0.3', 'tasks/pushNotificationConfig/delete', { id, pushNotificationConfigId }),
    GetExtendedAgentCard: () => rpc('0.3', 'agent/getAuthenticatedExtendedCard', {}),
  },
};

/** No sending: in 0.1 callers name their tasks, so that the id of another's task begins one of their own. */
const RPC_V01: Way = {
  name: 'JSON-RPC 0.1',
  calls: {
    GetTask: ({ taskId: id }) => rpc('0.1', 'tasks/get', { id }),
    CancelTask: ({ taskId: id }) => rpc('0.1', 'tasks/cancel', { id }),
    SubscribeToTask: ({ taskId: id }) => rpc('0.1', 'tasks/resubscribe', { id }),
    CreateTaskPushNotificationConfig: ({ taskId: id }) =>
      rpc(undefined, 'tasks/pushNotification/set', { id, pushNotificationConfig: { url: WEBHOOK } }),
    DeleteTaskPushNotificationConfig: ({ taskId: id }) =>
      rpc(undefined, 'tasks/pushNotification/set', { id, pushNotificationConfig: null }),
    ListTaskPushNotificationConfigs: ({ taskId: id }) => rpc(undefined, 'tasks/pushNotification/get', { id }),
  },
};

const at = ({ tenant }: Subject, path: string): string =>
  tenant === undefined ? path : `/${encodeURIComponent(tenant)}${path}`;

const configs = ({ taskId }: Subject): string => `/tasks/${encodeURIComponent(taskId)}/pushNotificationConfigs`;
const config = (subject: Subject): string => `${configs(subject)}/${encodeURIComponent(subject.configId)}`;

const REST_V1: Way = {
  name: 'HTTP+JSON 1.0',
  calls: {
    SendMessage: (subject) => rest('POST', at(subject, '/message:send'), messageV1(subject)),
    SendStreamingMessage: (subject) => rest('POST', at(subject, '/message:stream'), messageV1(subject)),
    GetTask: (subject) => rest('GET', at(subject, `/tasks/${subject.taskId}`)),
    ListTasks: (subject) =>
      rest('GET', at(subject, subject.contextId === undefined ? '/tasks' : `/tasks?contextId=${subject.contextId}`)),
    CancelTask: (subject) => rest('POST', at(subject, `/tasks/${subject.taskId}:cancel`)),
    SubscribeToTask: (subject) => rest('GET', at(subject, `/tasks/${subject.taskId}:subscribe`)),
    CreateTaskPushNotificationConfig: (subject) => rest('POST', at(subject, configs(subject)), { url: WEBHOOK }),
    GetTaskPushNotificationConfig: (subject) => rest('GET', at(subject, config(subject))),
    ListTaskPushNotificationConfigs: (subject) => rest('GET', at(subject, configs(subject))),
    DeleteTaskPushNotificationConfig: (subject) => rest('DELETE', at(subject, config(subject))),
    GetExtendedAgentCard: (subject) => rest('GET', at(subject, '/extendedAgentCard')),
  },
};

const REST_V03: Way = {
  name: 'HTTP+JSON 0.3',
  calls: {
    SendMessage: (subject) => rest('POST', '/v1/message:send', { message: messageV03Proto(subject) }),
    SendStreamingMessage: (subject) => rest('POST', '/v1/message:stream', { message: messageV03Proto(subject) }),
    GetTask: ({ taskId }) => rest('GET', `/v1/tasks/${taskId}`),
    CancelTask: ({ taskId }) => rest('POST', `/v1/tasks/${taskId}:cancel`),
    SubscribeToTask: ({ taskId }) => rest('GET', `/v1/tasks/${taskId}:subscribe`),
    CreateTaskPushNotificationConfig: (subject) =>
      rest('POST', `/v1${configs(subject)}`, { config: { pushNotificationConfig: { url: WEBHOOK } } }),
    GetTaskPushNotificationConfig: (subject) => rest('GET', `/v1${config(subject)}`),
    ListTaskPushNotificationConfigs: (subject) => rest('GET', `/v1${configs(subject)}`),
    DeleteTaskPushNotificationConfig: (subject) => rest('DELETE', `/v1${config(subject)}`),
    GetExtendedAgentCard: () => rest('GET', '/v1/card'),
  },
};

const G1 = (name: string, messageOf: (subject: Subject) => Record<string, JsonValue>) => {
  return (subject: Subject) => grpc(SERVICE_V1, name, { ...tenancy(subject), ...messageOf(subject) });
};

const GRPC_V1: Way = {
  name: 'gRPC 1.0',
  calls: {
    SendMessage: G1('SendMessage', messageV1),
    SendStreamingMessage: G1('SendStreamingMessage', messageV1),
    GetTask: G1('GetTask', ({ taskId: id }) => ({ id })),
    ListTasks: G1('ListTasks', ({ contextId = '' }) => ({ contextId })),
    CancelTask: G1('CancelTask', ({ taskId: id }) => ({ id })),
    SubscribeToTask: G1('SubscribeToTask', ({ taskId: id }) => ({ id })),
    CreateTaskPushNotificationConfig: G1('CreateTaskPushNotificationConfig', ({ taskId }) => ({
      taskId,
      url: WEBHOOK,
    })),
    GetTaskPushNotificationConfig: G1('GetTaskPushNotificationConfig', ({ taskId, configId: id }) => ({ taskId, id })),
    ListTaskPushNotificationConfigs: G1('ListTaskPushNotificationConfigs', ({ taskId }) => ({ taskId })),
    DeleteTaskPushNotificationConfig: G1('DeleteTaskPushNotificationConfig', ({ taskId, configId: id }) => ({
      taskId,
      id,
    })),
    GetExtendedAgentCard: G1('GetExtendedAgentCard', () => ({})),
  },
};

const parent = ({ taskId }: Subject): string => `tasks/${taskId}`;
const resource = (subject: Subject): string => `${parent(subject)}/pushNotificationConfigs/${subject.configId}`;

const GRPC_V03: Way = {
  name: 'gRPC 0.3',
  calls: {
    SendMessage: (subject) => grpc(SERVICE_V03, 'SendMessage', { message: messageV03Proto(subject) }),
    SendStreamingMessage: (subject) => grpc(SERVICE_V03, 'SendStreamingMessage', { message: messageV03Proto(subject) }),
    GetTask: (subject) => grpc(SERVICE_V03, 'GetTask', { name: parent(subject) }),
    CancelTask: (subject) => grpc(SERVICE_V03, 'CancelTask', { name: parent(subject) }),
    SubscribeToTask: (subject) => grpc(SERVICE_V03, 'TaskSubscription', { name: parent(subject) }),
    CreateTaskPushNotificationConfig: (subject) =>
      grpc(SERVICE_V03, 'CreateTaskPushNotificationConfig', {
        parent: parent(subject),
        configId: subject.configId,
        config: { pushNotificationConfig: { url: WEBHOOK } },
      }),
    GetTaskPushNotificationConfig: (subject) =>
      grpc(SERVICE_V03, 'GetTaskPushNotificationConfig', { name: resource(subject) }),
    ListTaskPushNotificationConfigs: (subject) =>
      grpc(SERVICE_V03, 'ListTaskPushNotificationConfig', { parent: parent(subject) }),
    DeleteTaskPushNotificationConfig: (subject) =>
      grpc(SERVICE_V03, 'DeleteTaskPushNotificationConfig', { name: resource(subject) }),
    GetExtendedAgentCard: () => grpc(SERVICE_V03, 'GetAgentCard', {}),
  },
};

/** The way of A2A 1.0 on each binding. */
export const WAYS_V1: readonly Way[] = [RPC_V1, REST_V1, GRPC_V1];

/** Every dialect on every binding that it has; 0.2 is called as 0.3 is. */
export const EVERY_WAY: readonly Way[] = [...WAYS_V1, RPC_V03, RPC_V01, REST_V03, GRPC_V03];
