import type { A2AError } from '../../model/errors.js';
import type { StreamResponse } from '../../model/event.js';
import type { JsonObject } from '../../model/json.js';
import type { OperationName, ResultOf, UnaryOperation } from '../../model/operations.js';
import { cardToV03 } from '../../card/card-v0-3.js';
import type { RpcError } from '../../codec/codec.js';
import { isJsonObject, member, withoutUnset } from '../../json/json-value.js';
import { legacyRpcError } from '../../legacy/rpc-error.js';
import { decodeQuery, type Query } from '../../binding/rest-query.js';
import { RPC_CODES_V03 } from '../rpc-errors.js';
import { configurationFromV03 } from '../translate/send-message.js';
import type { FileForm } from './file-form.js';
import { messageFromRest } from './message.js';
import { pushConfigFromRest, pushConfigToProto } from './push-config.js';
import { eventToProto, taskToProto } from './task.js';

/** One call of the 0.3 HTTP+JSON binding (`/v1/…`), its path taken apart. */
export interface RestCallV03 {
  /** Empty where the path has none. */
  readonly taskId: string;
  readonly configId: string;
  readonly query: Query;
  /** Parsed; undefined or null where there is none. */
  readonly body: unknown;
  /** The caller's reading of `file_with_bytes`. */
  readonly files: FileForm;
}

/** v1 params of a 0.3 REST call, not yet validated. Throws `A2AError` InvalidParams where path and body contradict. */
export function decodeRestV03(operation: OperationName, call: RestCallV03): JsonObject {
  return DECODERS[operation](call, isJsonObject(call.body) ? call.body : {});
}

/** The JSON text of a 0.3 REST answer. */
export function encodeRestV03<O extends UnaryOperation>(operation: O, result: ResultOf<O>, files: FileForm): string {
  return JSON.stringify(ENCODERS[operation](result, files));
}

/** The JSON text of one 0.3 REST stream event; there is no envelope. */
export function encodeRestEventV03(event: StreamResponse, files: FileForm): string {
  return JSON.stringify(eventToProto(event, files));
}

/** The body of a failed 0.3 REST call: its SDKs read the bare error with the code of JSON-RPC. */
export function restErrorV03(error: A2AError): RpcError {
  return legacyRpcError(error, RPC_CODES_V03[error.kind]);
}

type Decoder = (call: RestCallV03, body: JsonObject) => JsonObject;

const taskById: Decoder = ({ taskId }) => ({ id: taskId });
const configById: Decoder = ({ taskId, configId }) => ({ taskId, id: configId });

const DECODERS: Readonly<Record<OperationName, Decoder>> = {
  SendMessage: sendMessageFromRest,
  SendStreamingMessage: sendMessageFromRest,
  GetTask: ({ taskId, query }) => ({ ...queryParams('GetTask', query), id: taskId }),
  ListTasks: ({ query }) => queryParams('ListTasks', query),
  CancelTask: ({ taskId }, body) => withoutUnset({ id: taskId, metadata: member(body, 'metadata') }),
  SubscribeToTask: taskById,
  CreateTaskPushNotificationConfig: ({ taskId }, body) => pushConfigFromRest(taskId, body),
  GetTaskPushNotificationConfig: configById,
  ListTaskPushNotificationConfigs: ({ taskId, query }) => ({
    ...queryParams('ListTaskPushNotificationConfigs', query),
    taskId,
  }),
  DeleteTaskPushNotificationConfig: configById,
  GetExtendedAgentCard: () => ({}),
};

const ENCODERS: { readonly [O in UnaryOperation]: (result: ResultOf<O>, files: FileForm) => unknown } = {
  SendMessage: eventToProto,
  GetTask: taskToProto,
  ListTasks: ({ tasks, nextPageToken }, files) => ({
    tasks: tasks.map((task) => taskToProto(task, files)),
    nextPageToken,
  }),
  CancelTask: taskToProto,
  CreateTaskPushNotificationConfig: pushConfigToProto,
  GetTaskPushNotificationConfig: pushConfigToProto,
  ListTaskPushNotificationConfigs: ({ configs, nextPageToken }) => ({
    configs: configs.map(pushConfigToProto),
    nextPageToken,
  }),
  DeleteTaskPushNotificationConfig: () => ({}),
  GetExtendedAgentCard: (card) => cardToV03(card),
};

function sendMessageFromRest({ files }: RestCallV03, body: JsonObject): JsonObject {
  return withoutUnset({
    message: messageFromRest(member(body, 'message', 'request'), files),
    configuration: configurationFromV03(member(body, 'configuration'), 'non-blocking'),
    metadata: member(body, 'metadata'),
  });
}

/** 0.3 has no tenant (A2A-TEN-05), and no filter of its task list. */
function queryParams(operation: OperationName, query: Query): JsonObject {
  const { tenant: _tenant, status: _filter, ...params } = decodeQuery(operation, query);
  return params;
}
