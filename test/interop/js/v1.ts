import { randomUUID } from 'node:crypto';
import {
  type Artifact,
  Part,
  SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
  taskStateToJSON,
} from '@a2a-js/sdk';
import {
  type CallInterceptor,
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { collect } from '../../kit/callers/collect.js';
import type { DrivenEvent, DrivenMessage, DrivenPart, DrivenTask, SdkDriver } from '../driver.js';

/** The client of @a2a-js/sdk 1.x on one binding. @param token a bearer token, sent by an interceptor */
export async function driverV1(url: string, binding: string, token?: string): Promise<SdkDriver> {
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
    preferredTransports: [binding],
    clientConfig: { interceptors: token === undefined ? [] : [withToken(token)] },
  });
  const client: Client = await factory.createFromUrl(url);
  const tenant = '';
  return {
    async card() {
      const { name, skills } = await new DefaultAgentCardResolver().resolve(url);
      return { name, skills: skills.map(({ id }) => id) };
    },
    send: async (message) => taskOf((await client.sendMessage(requestOf(message))) as Task),
    stream: async (message) => (await collect(client.sendMessageStream(requestOf(message)))).map(eventOf),
    get: async (id) => taskOf(await client.getTask({ tenant, id })),
    cancel: async (id) => taskOf(await client.cancelTask({ tenant, id, metadata: undefined })),
    subscribe: async (id) => (await collect(client.resubscribeTask({ tenant, id }))).map(eventOf),
    async list(contextId) {
      const rest = { status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '', statusTimestampAfter: undefined };
      return (await client.listTasks({ tenant, contextId, ...rest })).tasks.map(({ id }) => id);
    },
    async setWebhook(webhook) {
      const config = { tenant, ...webhook, token: '', authentication: undefined };
      return webhookOf(await client.createTaskPushNotificationConfig(config));
    },
    getWebhook: async (taskId, id) => webhookOf(await client.getTaskPushNotificationConfig({ tenant, taskId, id })),
    async listWebhooks(taskId) {
      const { configs } = await client.listTaskPushNotificationConfig({ tenant, taskId, pageSize: 0, pageToken: '' });
      return configs.map(webhookOf);
    },
    async deleteWebhook(taskId, id) {
      await client.deleteTaskPushNotificationConfig({ tenant, taskId, id });
      return null;
    },
  };
}

function withToken(token: string): CallInterceptor {
  return {
    before: async (args) => {
      const { serviceParameters } = args.options ?? {};
      args.options = { ...args.options, serviceParameters: { ...serviceParameters, Authorization: `Bearer ${token}` } };
    },
    after: async () => undefined,
  };
}

function requestOf({ parts, skill, blocking = true, ...ids }: DrivenMessage): SendMessageRequest {
  const metadata = skill === undefined ? undefined : { skillId: skill };
  const content = parts.map(({ name: filename, ...part }) => ({ ...part, filename }));
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: content, metadata, ...ids };
  return SendMessageRequest.fromJSON({ message, configuration: { returnImmediately: !blocking } });
}

function taskOf({ id, contextId, status, artifacts }: Task): DrivenTask {
  const state = taskStateToJSON(status?.state ?? TaskState.TASK_STATE_UNSPECIFIED);
  return { id, contextId, state, parts: artifacts.flatMap(partsOf) };
}

function eventOf({ payload }: StreamResponse): DrivenEvent {
  switch (payload?.$case) {
    case 'task':
      return { taskId: payload.value.id, state: taskOf(payload.value).state };
    case 'statusUpdate': {
      const { taskId, status } = payload.value;
      return { taskId, state: taskStateToJSON(status?.state ?? TaskState.TASK_STATE_UNSPECIFIED) };
    }
    case 'artifactUpdate': {
      const { taskId, artifact } = payload.value;
      return { taskId, parts: artifact === undefined ? [] : partsOf(artifact) };
    }
    case 'message':
    case undefined:
      return { taskId: '' };
  }
}

function partsOf({ parts }: Artifact): readonly DrivenPart[] {
  return parts.map((part) => {
    const { text, raw, data, filename: name, mediaType } = Part.toJSON(part) as DrivenPart & { filename?: string };
    const content = text !== undefined ? { text } : raw !== undefined ? { raw } : { data };
    return { ...content, ...(name === undefined ? {} : { name }), ...(mediaType === undefined ? {} : { mediaType }) };
  });
}

function webhookOf({ taskId, id, url }: { taskId: string; id: string; url: string }) {
  return { taskId, id, url };
}
