import type { OperationTable } from '../../operations/executor/operation-table.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isStreaming, type OperationName } from '@parley/protocol/model/operations.js';
import { A2A_V1 } from '@parley/protocol/proto/a2a-v1.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';
import { formOf } from '@parley/sdk/skill/contract/rules/combined-schema.js';
import { MessageDto, PartDto } from '../../operations/dto/message.dto.js';
import { AuthenticationInfoDto, PushConfigDto } from '../../operations/dto/push-config.dto.js';
import { SendMessageConfigurationDto, SendMessageDto } from '../../operations/dto/send-message.dto.js';
import type { DtoClass } from '@parley/sdk/skill/skill.js';
import type { RestResource } from '../rest/rest-path.js';
import { REST_ROUTES } from '../rest/rest-routes.js';
import { jsonContent, jsonResponse, refTo, refusals, type Schema } from './schema.js';

/** The path of each resource of HTTP+JSON 1.0. A resource without a row does not compile. */
const PATHS: Readonly<Record<RestResource, string>> = {
  'message:send': '/message:send',
  'message:stream': '/message:stream',
  tasks: '/tasks',
  task: '/tasks/{id}',
  'task:cancel': '/tasks/{id}:cancel',
  'task:subscribe': '/tasks/{id}:subscribe',
  configs: '/tasks/{taskId}/pushNotificationConfigs',
  config: '/tasks/{taskId}/pushNotificationConfigs/{id}',
  card: '/extendedAgentCard',
};

const SUMMARIES: Readonly<Record<OperationName, string>> = {
  SendMessage: 'Sends a message, and waits for its task to end or to ask',
  SendStreamingMessage: 'Sends a message, and streams the events of its task',
  GetTask: 'Reads a task',
  ListTasks: 'Lists tasks, the latest first',
  CancelTask: 'Cancels a task',
  SubscribeToTask: 'Streams the events of a task',
  CreateTaskPushNotificationConfig: 'Registers a webhook of a task',
  GetTaskPushNotificationConfig: 'Reads a webhook of a task',
  ListTaskPushNotificationConfigs: 'Lists the webhooks of a task',
  DeleteTaskPushNotificationConfig: 'Removes a webhook of a task',
  GetExtendedAgentCard: 'Reads the agent card of this caller',
};

/** The classes that validate requests, by message name. */
export const CHECKED: ReadonlyMap<string, DtoClass> = new Map<string, DtoClass>([
  ['SendMessageRequest', SendMessageDto],
  ['SendMessageConfiguration', SendMessageConfigurationDto],
  ['Message', MessageDto],
  ['Part', PartDto],
  ['TaskPushNotificationConfig', PushConfigDto],
  ['AuthenticationInfo', AuthenticationInfoDto],
]);

/** The body of a request without a message in the proto: the id of CancelTask is in its path. */
export const BODIES: Readonly<Record<string, Schema>> = {
  CancelTaskBody: { type: 'object', properties: { metadata: { type: 'object', additionalProperties: true } } },
};

const VERSION = {
  name: 'A2A-Version',
  in: 'header',
  schema: { type: 'string', enum: ['1.0'], default: '1.0' },
};

/** The operations of HTTP+JSON 1.0, from the served routes and the classes that validate their params. */
export function restPaths(table: OperationTable): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(PATHS).map(([resource, path]) => {
      const methods = Object.entries(REST_ROUTES[resource as RestResource]);
      return [
        path,
        Object.fromEntries(
          methods.map(([method, name]) => [method.toLowerCase(), operation({ table, path, method, name })]),
        ),
      ];
    }),
  );
}

interface Route {
  readonly table: OperationTable;
  readonly path: string;
  readonly method: string;
  readonly name: OperationName;
}

function operation({ table, path, method, name }: Route): JsonObject {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, member = '']) => member);
  const { properties, required = [] } = formOf(jsonSchemaOf(table[name].params));
  const others = Object.keys(properties).filter((member) => member !== 'tenant' && !inPath.includes(member));
  const asks = method === 'POST' ? requestBody(name) : undefined;
  const query = method === 'POST' ? [] : others;
  const parameter = (member: string, place: 'path' | 'query'): JsonObject => ({
    ...{ name: member, in: place, schema: { type: 'string', ...properties[member] } },
    ...(place === 'path' || required.includes(member) ? { required: true } : {}),
  });
  return {
    operationId: name === 'SubscribeToTask' && method === 'POST' ? 'SubscribeToTaskByPost' : name,
    summary: SUMMARIES[name],
    tags: ['A2A 1.0'],
    parameters: [
      ...inPath.map((member) => parameter(member, 'path')),
      ...query.map((member) => parameter(member, 'query')),
      VERSION,
    ],
    ...asks,
    responses: {
      200: isStreaming(name) ? streamResponse() : jsonResponse('The result.', resultOf(name)),
      ...refusals(refTo('Error')),
    },
  };
}

function requestBody(name: OperationName): JsonObject | undefined {
  const [request = ''] = A2A_V1.service?.methods[name] ?? [];
  if (name === 'SubscribeToTask') return undefined;
  const schema = refTo(name === 'CancelTask' ? 'CancelTaskBody' : request);
  return { requestBody: { required: name !== 'CancelTask', content: jsonContent(schema, 'application/a2a+json') } };
}

function resultOf(name: OperationName): JsonObject {
  const [, result = ''] = A2A_V1.service?.methods[name] ?? [];
  return result === 'Empty' ? { type: 'object' } : refTo(result);
}

function streamResponse(): JsonObject {
  const schema = { type: 'string', contentMediaType: 'application/json', contentSchema: refTo('StreamResponse') };
  const description =
    'Server-Sent Events: the `data` of each is a StreamResponse, its `id` resumes the stream after it.';
  return { description, content: { 'text/event-stream': { schema } } };
}
