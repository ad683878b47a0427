import type { OperationName } from '../model/operations.js';
import { isJsonObject } from '../json/json-value.js';

/**
 * Accepts the names that the 1.0 release candidate still had (V02-16): `configuration.blocking`,
 * `configuration.pushNotificationConfig`, and the nested `config` with `configId` when a push config is created.
 * Where both names are present the released one wins.
 */
export function withoutRcAliases(operation: OperationName, params: unknown): unknown {
  if (!isJsonObject(params)) return params;
  if (operation === 'CreateTaskPushNotificationConfig') return flatPushConfig(params);
  if (!isJsonObject(params.configuration)) return params;
  const { blocking, pushNotificationConfig, ...configuration } = params.configuration;
  return {
    ...params,
    configuration: {
      // A value of a wrong type is passed on for the validators to refuse.
      ...(isSet(blocking) && { returnImmediately: typeof blocking === 'boolean' ? !blocking : blocking }),
      ...(isSet(pushNotificationConfig) && { taskPushNotificationConfig: pushNotificationConfig }),
      ...configuration,
    },
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function flatPushConfig(params: Readonly<Record<string, unknown>>): unknown {
  if (!isJsonObject(params.config) || params.url !== undefined) return params;
  const { config, configId, config_id: snakeConfigId, ...outer } = params;
  const id = configId ?? snakeConfigId;
  return { ...config, ...(id !== undefined && { id }), ...outer };
}
