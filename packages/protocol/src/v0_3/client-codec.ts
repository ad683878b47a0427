import { A2AError } from '../model/errors.js';
import type { JsonObject } from '../model/json.js';
import type { OperationName, ParamsOf, SendMessageRequest } from '../model/operations.js';
import type { ClientCodec } from '../codec/client-codec.js';
import { cardFromV03 } from '../card/card-from-v0-3.js';
import { isJsonObject, mapArray, withoutUnset } from '../json/json-value.js';
import { pushConfigToLegacy, taskPushConfigFromLegacy } from '../legacy/push-config.js';
import { eventFromV03, sendResultFromV03, taskFromV03 } from './translate/from-server.js';
import { messageToV03 } from './translate/message.js';

interface Call {
  readonly method: string;
  readonly params: JsonObject;
}

type Encoders = { readonly [O in OperationName]: (params: ParamsOf<O>) => Call };

/** 0.3 has no tenant: members that name one are left out. */
const ENCODERS: Encoders = {
  SendMessage: (params) => ({ method: 'message/send', params: sendParams(params) }),
  SendStreamingMessage: (params) => ({ method: 'message/stream', params: sendParams(params) }),
  GetTask: ({ id, historyLength }) => ({ method: 'tasks/get', params: withoutUnset({ id, historyLength }) }),
  ListTasks: () => {
    throw new A2AError('UnsupportedOperation', 'A2A 0.3 has no list of tasks');
  },
  CancelTask: ({ id, metadata }) => ({ method: 'tasks/cancel', params: withoutUnset({ id, metadata }) }),
  SubscribeToTask: ({ id }) => ({ method: 'tasks/resubscribe', params: { id } }),
  CreateTaskPushNotificationConfig: (config) => ({
    method: 'tasks/pushNotificationConfig/set',
    params: { taskId: config.taskId, pushNotificationConfig: pushConfigToLegacy(config) },
  }),
  GetTaskPushNotificationConfig: ({ taskId, id }) => ({
    method: 'tasks/pushNotificationConfig/get',
    params: { id: taskId, pushNotificationConfigId: id },
  }),
  ListTaskPushNotificationConfigs: ({ taskId }) => ({
    method: 'tasks/pushNotificationConfig/list',
    params: { id: taskId },
  }),
  DeleteTaskPushNotificationConfig: ({ taskId, id }) => ({
    method: 'tasks/pushNotificationConfig/delete',
    params: { id: taskId, pushNotificationConfigId: id },
  }),
  GetExtendedAgentCard: () => ({ method: 'agent/getAuthenticatedExtendedCard', params: {} }),
};

const DECODERS: Readonly<Record<OperationName, (result: unknown) => unknown>> = {
  SendMessage: sendResultFromV03,
  SendStreamingMessage: eventFromV03,
  GetTask: taskFromV03,
  ListTasks: (result) => result,
  CancelTask: taskFromV03,
  SubscribeToTask: eventFromV03,
  CreateTaskPushNotificationConfig: pushConfig,
  GetTaskPushNotificationConfig: pushConfig,
  ListTaskPushNotificationConfigs: (result) => ({ configs: mapArray(result ?? [], pushConfig), nextPageToken: '' }),
  DeleteTaskPushNotificationConfig: () => ({}),
  GetExtendedAgentCard: cardFromV03,
};

/** A2A 0.3 as its caller speaks it. */
export const clientCodecV03: ClientCodec = {
  version: '0.3',
  encodeCall: <O extends OperationName>(operation: O, params: ParamsOf<O>) => {
    const encode: (params: ParamsOf<O>) => Call = ENCODERS[operation];
    return encode(params);
  },
  decodeResult: (operation, result) => DECODERS[operation](result),
  decodeEvent: eventFromV03,
};

function sendParams({ message, configuration, metadata }: SendMessageRequest): JsonObject {
  return withoutUnset({ message: messageToV03(message), configuration: configurationOf(configuration), metadata });
}

function configurationOf(configuration: SendMessageRequest['configuration']): JsonObject | undefined {
  if (configuration === undefined) return undefined;
  const { acceptedOutputModes, historyLength, returnImmediately, taskPushNotificationConfig } = configuration;
  return withoutUnset({
    ...{ acceptedOutputModes, historyLength, blocking: returnImmediately !== true },
    pushNotificationConfig: taskPushNotificationConfig && pushConfigToLegacy(taskPushNotificationConfig),
  });
}

function pushConfig(value: unknown): unknown {
  return isJsonObject(value) ? taskPushConfigFromLegacy(value.taskId, value.pushNotificationConfig) : value;
}
