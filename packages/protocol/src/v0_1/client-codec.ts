import type { OperationName, ParamsOf, SendMessageRequest } from '../model/operations.js';
import type { JsonObject } from '../model/json.js';
import type { ClientCall, ClientCodec } from '../codec/client-codec.js';
import { withoutUnset } from '../json/json-value.js';
import { pushConfigToLegacy } from '../legacy/push-config.js';
import { clientCodecV03 } from '../v0_3/client-codec.js';
import { messageToV01 } from './translate/message.js';

type Encoders = { readonly [O in OperationName]?: (params: ParamsOf<O>) => ClientCall };

/** So much of the history is asked for where the caller names no length: 0.1 sends none unless it is asked. */
const HISTORY = 100;

const ENCODERS: Encoders = {
  SendMessage: (params) => ({ method: 'tasks/send', params: sendParams(params) }),
  SendStreamingMessage: (params) => ({ method: 'tasks/sendSubscribe', params: sendParams(params) }),
  GetTask: ({ id, historyLength = HISTORY }) => ({ method: 'tasks/get', params: { id, historyLength } }),
  CreateTaskPushNotificationConfig: (config) => ({
    method: 'tasks/pushNotification/set',
    params: { id: config.taskId, pushNotificationConfig: pushConfigToLegacy(config) },
  }),
  GetTaskPushNotificationConfig: ({ taskId }) => ({ method: 'tasks/pushNotification/get', params: { id: taskId } }),
};

/**
 * A2A 0.1 (`tasks/send`) as its caller speaks it: tasks are read, canceled and followed as in 0.3, whose reader takes the
 * results of both.
 */
export const clientCodecV01: ClientCodec = {
  ...clientCodecV03,
  version: '0.1',
  encodeCall: <O extends OperationName>(operation: O, params: ParamsOf<O>) => {
    const encode: ((params: ParamsOf<O>) => ClientCall) | undefined = ENCODERS[operation];
    return encode?.(params) ?? clientCodecV03.encodeCall(operation, params);
  },
};

/** Callers make the ids of tasks in 0.1: that of the message which begins it, so that it begins no second one when repeated. */
function sendParams({ message, configuration, metadata }: SendMessageRequest): JsonObject {
  const { historyLength = HISTORY, taskPushNotificationConfig, acceptedOutputModes } = configuration ?? {};
  return withoutUnset({
    id: message.taskId ?? message.messageId,
    sessionId: message.contextId,
    message: messageToV01(message),
    historyLength,
    acceptedOutputModes: acceptedOutputModes?.flatMap((mode) => (mode === 'text/plain' ? ['text', mode] : [mode])),
    pushNotification: taskPushNotificationConfig && pushConfigToLegacy(taskPushNotificationConfig),
    metadata,
  });
}
