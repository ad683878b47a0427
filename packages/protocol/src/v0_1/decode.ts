import type { JsonObject } from '../model/json.js';
import type { OperationName } from '../model/operations.js';
import { isJsonObject, mapArray, member, nonEmpty, nonEmptyList, withoutUnset } from '../json/json-value.js';
import { pushConfigFromLegacy, taskPushConfigFromLegacy } from '../legacy/push-config.js';
import { messageFromV01 } from './translate/message.js';

/** One 0.1 call: its params and the task id in them. */
type Decoder = (params: JsonObject, id: string) => JsonObject;

/** The names that 0.1 had for media types (v0.1 card: default modes `["text"]`); a text may be Markdown. */
const MODES: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text/*'],
  ['data', 'application/json'],
  ['file', '*/*'],
]);

const notServed: Decoder = () => ({});

/**
 * v1 params from 0.1 params, not yet validated. Task ids in them are the client's: `LegacyTerms.clientTaskId` says so,
 * and the operation assigns the server's own.
 */
export const DECODERS_V01: Readonly<Record<OperationName, Decoder>> = {
  SendMessage: sendMessageFromV01,
  SendStreamingMessage: sendMessageFromV01,
  GetTask: (params, id) => ({ id, historyLength: historyLength(params) }),
  ListTasks: notServed,
  CancelTask: (params, id) => withoutUnset({ id, metadata: member(params, 'metadata') }),
  SubscribeToTask: (_params, id) => ({ id }),
  CreateTaskPushNotificationConfig: (params, id) =>
    taskPushConfigFromLegacy(id, withOnlyId(member(params, 'pushNotificationConfig'), id)),
  GetTaskPushNotificationConfig: (_params, id) => ({ taskId: id, id }),
  ListTaskPushNotificationConfigs: (_params, id) => ({ taskId: id }),
  DeleteTaskPushNotificationConfig: (_params, id) => ({ taskId: id, id }),
  GetExtendedAgentCard: notServed,
};

/** The message of a 0.1 call names no task: to 1.0, naming one says that it exists. */
function sendMessageFromV01(params: JsonObject, id: string): JsonObject {
  const acceptedOutputModes = mapArray(nonEmptyList(params, 'acceptedOutputModes'), (mode) => MODES.get(mode) ?? mode);
  return withoutUnset({
    message: messageFromV01(member(params, 'message'), id, nonEmpty(params, 'sessionId')),
    configuration: withoutUnset({
      acceptedOutputModes,
      historyLength: historyLength(params),
      returnImmediately: true,
      taskPushNotificationConfig: pushConfigFromLegacy(withOnlyId(member(params, 'pushNotification'), id)),
    }),
    metadata: member(params, 'metadata'),
  });
}

/** Absent and null mean no history (D01-08). */
function historyLength(params: JsonObject): unknown {
  return member(params, 'historyLength') ?? 0;
}

/** A task of 0.1 has one config: all that are set for it share one id, so the newest replaces the others. */
function withOnlyId(config: unknown, id: string): unknown {
  return isJsonObject(config) ? { ...config, id } : config;
}
