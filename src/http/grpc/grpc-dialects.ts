import type { DescService, JsonValue } from '@bufbuild/protobuf';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json, JsonObject } from '@parley/protocol/model/json.js';
import type { OperationName, ResultOf, UnaryOperation } from '@parley/protocol/model/operations.js';
import { cardToProtoV03 } from '@parley/protocol/card/card-v0-3.js';
import type { RestVersion } from '@parley/protocol/versions/rest-dialect.js';
import { decodeRestV03, encodeRestEventV03, encodeRestV03 } from '@parley/protocol/v0_3/rest/codec.js';
import { type FileForm, fileFormOf } from '@parley/protocol/v0_3/rest/file-form.js';
import { decodeParamsV1 } from '@parley/protocol/v1_0/codec.js';
import { readResourceName } from './resource-name.js';
import { SERVICE_V03, SERVICE_V1 } from './schema/schema.js';

/** One protocol version on gRPC: its service, and its messages as ProtoJSON to and from the v1 model. */
export interface GrpcDialect {
  readonly version: RestVersion;
  readonly service: DescService;
  /** The operation behind each method of the service. */
  readonly operations: Readonly<Record<string, OperationName>>;
  /** The dialect for one caller, by its User-Agent. */
  forCaller(userAgent: string | undefined): GrpcDialect;
  /** v1 params, not yet validated. Throws `A2AError` for a call that contradicts itself. */
  decode(operation: OperationName, request: JsonObject): unknown;
  encode<O extends UnaryOperation>(operation: O, result: Json<ResultOf<O>>): JsonValue;
  encodeEvent(event: Json<StreamResponse>): JsonValue;
}

/** Methods of 1.0 are named like the operations (A2A 1.0 §10.4). */
const OPERATIONS_V1: Readonly<Record<string, OperationName>> = {
  SendMessage: 'SendMessage',
  SendStreamingMessage: 'SendStreamingMessage',
  GetTask: 'GetTask',
  ListTasks: 'ListTasks',
  CancelTask: 'CancelTask',
  SubscribeToTask: 'SubscribeToTask',
  CreateTaskPushNotificationConfig: 'CreateTaskPushNotificationConfig',
  GetTaskPushNotificationConfig: 'GetTaskPushNotificationConfig',
  ListTaskPushNotificationConfigs: 'ListTaskPushNotificationConfigs',
  DeleteTaskPushNotificationConfig: 'DeleteTaskPushNotificationConfig',
  GetExtendedAgentCard: 'GetExtendedAgentCard',
};

/** Methods by the proto of 0.3, which differs from the table in its text (TRAP-17). */
const OPERATIONS_V03: Readonly<Record<string, OperationName>> = {
  SendMessage: 'SendMessage',
  SendStreamingMessage: 'SendStreamingMessage',
  GetTask: 'GetTask',
  CancelTask: 'CancelTask',
  TaskSubscription: 'SubscribeToTask',
  CreateTaskPushNotificationConfig: 'CreateTaskPushNotificationConfig',
  GetTaskPushNotificationConfig: 'GetTaskPushNotificationConfig',
  ListTaskPushNotificationConfig: 'ListTaskPushNotificationConfigs',
  DeleteTaskPushNotificationConfig: 'DeleteTaskPushNotificationConfig',
  GetAgentCard: 'GetExtendedAgentCard',
};

const dialectV1: GrpcDialect = {
  version: '1.0',
  service: SERVICE_V1,
  operations: OPERATIONS_V1,
  forCaller: () => dialectV1,
  decode: decodeParamsV1,
  encode: (_operation, { text }) => parsed(text),
  encodeEvent: ({ text }) => parsed(text),
};

/**
 * The HTTP+JSON binding of 0.3 carries the ProtoJSON of the same messages except the card, so its translators are
 * reused.
 */
const dialectV03 = (files: FileForm): GrpcDialect => ({
  version: '0.3',
  service: SERVICE_V03,
  operations: OPERATIONS_V03,
  forCaller: (userAgent) => DIALECTS_V03[fileFormOf(userAgent)],
  decode: (operation, request) =>
    decodeRestV03(operation, { ...readResourceName(request), query: queryOf(request), body: request, files }),
  encode: (operation, { value }) =>
    parsed(
      operation === 'GetExtendedAgentCard'
        ? JSON.stringify(cardToProtoV03(value as AgentCard))
        : encodeRestV03(operation, value, files),
    ),
  encodeEvent: ({ value }) => parsed(encodeRestEventV03(value, files)),
});

const DIALECTS_V03: Readonly<Record<FileForm, GrpcDialect>> = {
  bytes: dialectV03('bytes'),
  'base64-text': dialectV03('base64-text'),
};

/** The versions that have a gRPC binding (A2A-GRPC-01, A2A-GRPC-06). */
export const GRPC_DIALECTS: readonly GrpcDialect[] = [dialectV1, DIALECTS_V03.bytes];

/** Members that 0.3 has in the query on HTTP and in the message on gRPC. */
function queryOf(request: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['historyLength', 'pageSize', 'pageToken'].flatMap((name) => {
      const value = request[name];
      return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
    }),
  );
}

function parsed(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}
