import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { decodeQuery, type Query } from '@parley/protocol/binding/rest-query.js';
import { decodeParamsV1 } from '@parley/protocol/v1_0/codec.js';
import type { RestPath } from './rest-path.js';

/** The parts of an HTTP+JSON call that define its params. */
export interface RestCall {
  readonly path: RestPath;
  readonly query: Query;
  /** Parsed; undefined without a body, also for `null` (A2A-REST-06). */
  readonly body: unknown;
}

/**
 * v1 params of a call, not yet validated: body and query, and the members of the path, which must not contradict them
 * (A2A-REST-09, A2A-PCFG-09). Throws `A2AError` InvalidRequest for a body that is not an object, InvalidParams for a
 * contradiction.
 */
export function decodeRestV1(operation: OperationName, { path, query, body }: RestCall): JsonObject {
  const present = body ?? {};
  if (!isJsonObject(present)) throw new A2AError('InvalidRequest', 'The request body must be a JSON object');
  const sent = decodeParamsV1(operation, { ...decodeQuery(operation, query), ...present });
  return Object.entries(membersOf(operation, path)).reduce(withPathMember, isJsonObject(sent) ? sent : {});
}

/** The params in the path, under the operation's names for them. */
function membersOf(operation: OperationName, { tenant, taskId, configId }: RestPath): Readonly<Record<string, string>> {
  const isOfConfigs = operation.includes('PushNotificationConfig');
  return {
    ...(tenant === '' ? {} : { tenant }),
    ...(taskId === '' ? {} : isOfConfigs ? { taskId } : { id: taskId }),
    ...(configId === '' ? {} : { id: configId }),
  };
}

function withPathMember(params: JsonObject, [field, value]: readonly [string, string]): JsonObject {
  const sent = params[field];
  if (sent !== undefined && sent !== '' && sent !== value) {
    throw invalidParams([{ field, description: 'is not the one of the path' }]);
  }
  return { ...params, [field]: value };
}
