/** Send: 0.3 says `blocking` where 1.0 says `returnImmediately`, and names the push config otherwise. */
import type { JsonObject } from '../../model/json.js';
import { isJsonObject, member, nonEmptyList, withoutUnset } from '../../json/json-value.js';
import { messageFromV03 } from './message.js';
import { pushConfigFromLegacy } from '../../legacy/push-config.js';

/** JSON-RPC callers wait unless they say otherwise; proto callers wait only if they say so (TRAP-63). */
export type BlockingDefault = 'blocking' | 'non-blocking';

export function sendMessageFromV03(params: JsonObject): JsonObject {
  return withoutUnset({
    message: messageFromV03(member(params, 'message')),
    configuration: configurationFromV03(member(params, 'configuration'), 'blocking'),
    metadata: member(params, 'metadata'),
  });
}

export function configurationFromV03(value: unknown, whenUnset: BlockingDefault): unknown {
  if (!isJsonObject(value)) return value;
  const blocking = member(value, 'blocking') ?? (whenUnset === 'non-blocking' ? false : undefined);
  return withoutUnset({
    acceptedOutputModes: nonEmptyList(value, 'acceptedOutputModes', 'accepted_output_modes'),
    historyLength: member(value, 'historyLength', 'history_length'),
    returnImmediately: typeof blocking === 'boolean' ? !blocking : blocking,
    taskPushNotificationConfig: pushConfigFromLegacy(
      member(value, 'pushNotificationConfig', 'pushNotification', 'push_notification'),
    ),
  });
}
