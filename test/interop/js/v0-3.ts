import { randomUUID } from 'node:crypto';
import type {
  Artifact,
  Message,
  MessageSendParams,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskStatusUpdateEvent,
} from 'a2a-sdk-v0-3';
import {
  type CallInterceptor,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from 'a2a-sdk-v0-3/client';
import { GrpcTransportFactory } from 'a2a-sdk-v0-3/client/grpc';
import { collect } from '../../kit/callers/collect.js';
import type { DrivenEvent, DrivenMessage, DrivenPart, DrivenTask, DrivenWebhook, SdkDriver } from '../driver.js';

/** The client of @a2a-js/sdk 0.3 on one binding; it has no list of tasks. @param token a bearer token, sent by an interceptor */
export async function driverV03(url: string, binding: string, token?: string): Promise<Omit<SdkDriver, 'list'>> {
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
    preferredTransports: [binding],
    clientConfig: { interceptors: token === undefined ? [] : [withToken(token)] },
  });
  const client = await factory.createFromUrl(url);
  return {
    async card() {
      const { name, skills } = await new DefaultAgentCardResolver().resolve(url);
      return { name, skills: skills.map(({ id }) => id) };
    },
    send: async (message) => taskOf((await client.sendMessage(paramsOf(message))) as Task),
    stream: async (message) => (await collect(client.sendMessageStream(paramsOf(message)))).map(eventOf),
    get: async (id) => taskOf(await client.getTask({ id })),
    cancel: async (id) => taskOf(await client.cancelTask({ id })),
    subscribe: async (id) => (await collect(client.resubscribeTask({ id }))).map(eventOf),
    async setWebhook({ taskId, ...pushNotificationConfig }) {
      return webhookOf(await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig }));
    },
    async getWebhook(taskId, id) {
      const params = { id: taskId, pushNotificationConfigId: id };
      return webhookOf(await client.getTaskPushNotificationConfig(params));
    },
    async listWebhooks(taskId) {
      return (await client.listTaskPushNotificationConfig({ id: taskId })).map(webhookOf);
    },
    async deleteWebhook(taskId, id) {
      await client.deleteTaskPushNotificationConfig({ id: taskId, pushNotificationConfigId: id });
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

function paramsOf({ parts, skill, blocking = true, ...ids }: DrivenMessage): MessageSendParams {
  const metadata = skill === undefined ? {} : { metadata: { skillId: skill } };
  const message: Message = {
    ...{ kind: 'message', messageId: randomUUID(), role: 'user', parts: parts.map(partOf) },
    ...metadata,
    ...ids,
  };
  return { message, configuration: { blocking } };
}

function partOf({ text, raw, name = '', mediaType = '', data }: DrivenPart): Part {
  if (text !== undefined) return { kind: 'text', text };
  if (raw !== undefined) return { kind: 'file', file: { bytes: raw, name, mimeType: mediaType } };
  return { kind: 'data', data: data as Record<string, unknown> };
}

function taskOf({ id, contextId, status, artifacts = [] }: Task): DrivenTask {
  return { id, contextId, state: status.state, parts: artifacts.flatMap(partsOf) };
}

function eventOf(event: Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent): DrivenEvent {
  switch (event.kind) {
    case 'task':
      return { taskId: event.id, state: event.status.state };
    case 'status-update':
      return { taskId: event.taskId, state: event.status.state };
    case 'artifact-update':
      return { taskId: event.taskId, parts: partsOf(event.artifact) };
    case 'message':
      return { taskId: event.taskId ?? '' };
  }
}

function partsOf({ parts }: Artifact): readonly DrivenPart[] {
  return parts.map((part) => {
    if (part.kind === 'text') return { text: part.text };
    if (part.kind === 'data') return { data: part.data };
    const { name, mimeType } = part.file;
    const described = {
      ...(name === undefined ? {} : { name }),
      ...(mimeType === undefined ? {} : { mediaType: mimeType }),
    };
    return 'bytes' in part.file ? { raw: part.file.bytes, ...described } : described;
  });
}

function webhookOf({ taskId, pushNotificationConfig }: TaskPushNotificationConfig): DrivenWebhook {
  const { id = '', url } = pushNotificationConfig;
  return { taskId, id, url };
}
