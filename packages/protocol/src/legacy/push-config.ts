/** Push configs of 0.1 – 0.3: the task's id is outside of the config, and several schemes may be listed. */
import type { TaskPushNotificationConfig } from '../model/push-config.js';
import type { JsonObject } from '../model/json.js';
import { isJsonObject, member, nonEmpty, withoutUnset } from '../json/json-value.js';
import type { LegacyPushConfig } from './types.js';

export function pushConfigToLegacy(config: TaskPushNotificationConfig): LegacyPushConfig {
  const { authentication, taskId: _outside, tenant: _unknown, ...members } = config;
  if (authentication === undefined) return members;
  const { scheme, credentials } = authentication;
  return { ...members, authentication: { schemes: [scheme], credentials } };
}

/** Reads a bare config; the first scheme counts, 1.0 has only one. */
export function pushConfigFromLegacy(value: unknown): unknown {
  return isJsonObject(value) ? pushConfigMembers(value) : value;
}

/**
 * Reads a config and the task's id from beside it. A config without id gets the task's id: the reference servers of 0.3
 * did so, and their clients ask for it by that id (TRAP-67).
 */
export function taskPushConfigFromLegacy(taskId: unknown, config: unknown): JsonObject {
  if (!isJsonObject(config)) return withoutUnset({ taskId });
  return withoutUnset({ id: taskId, ...pushConfigMembers(config), taskId });
}

/** `events` says which events are wanted; no version has it, but early callers of 0.1 sent it (SEED-13). */
function pushConfigMembers(config: JsonObject): JsonObject {
  return withoutUnset({
    id: nonEmpty(config, 'id'),
    url: nonEmpty(config, 'url'),
    token: nonEmpty(config, 'token'),
    events: member(config, 'events'),
    authentication: authenticationFromLegacy(member(config, 'authentication')),
  });
}

function authenticationFromLegacy(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const schemes = member(value, 'schemes');
  const scheme: unknown = Array.isArray(schemes) ? schemes[0] : schemes;
  const credentials = member(value, 'credentials');
  if (scheme === undefined && credentials === undefined) return undefined;
  return withoutUnset({ scheme, credentials });
}
