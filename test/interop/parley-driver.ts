import { randomUUID } from 'node:crypto';
import { PlainHttp } from '@parley/client/http/plain-http.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import {
  type AgentAuth,
  apiKeyCredential,
  bearerCredential,
  fixedAuth,
  NO_AUTH,
} from '@parley/client/http/agent-auth.js';
import { AgentClient } from '@parley/client/call/agent-client.js';
import { chooseEndpoint } from '@parley/client/call/endpoint.js';
import { cardOf, fetchCard } from '@parley/client/card/fetch-card.js';
import type { RemoteEvent, RemoteTask } from '@parley/protocol/remote/remote-model.js';
import { collect } from '../kit/callers/collect.js';
import {
  type DrivenCredential,
  type DrivenEvent,
  type DrivenMessage,
  type DrivenPart,
  type DrivenTask,
  type DrivenWebhook,
  type SdkDriver,
  KEY_HEADER,
} from './driver.js';

/** The client of this repository on one binding of any agent. @param version of the protocol, such as `0.3` */
export async function parleyDriver(
  url: string,
  binding: string,
  version: string,
  credential?: DrivenCredential,
): Promise<SdkDriver> {
  const http = new PlainHttp();
  const fetched = await fetchCard(http, url);
  if ('unchanged' in fetched) throw new Error('Nothing was known of the card');
  const { card } = cardOf(fetched.text);
  const endpoint = chooseEndpoint(card, { bindings: [binding], version });
  const client = new AgentClient({ endpoint, http, auth: authOf(credential) });
  return {
    card: async () => ({ name: card.name, skills: card.skills.map(({ id }) => id) }),
    async send(message) {
      const reply = await client.sendMessage(requestOf(message));
      if ('message' in reply) throw new Error('The agent answered with a message');
      return taskOf(reply.task);
    },
    stream: async (message) =>
      (await collect(client.streamMessage(requestOf(message)))).map(({ event }) => eventOf(event)),
    get: async (id) => taskOf(await client.getTask({ id })),
    cancel: async (id) => taskOf(await client.cancelTask({ id })),
    subscribe: async (id) => (await collect(client.subscribe({ id }))).map(({ event }) => eventOf(event)),
    list: async (contextId) => (await client.listTasks({ contextId })).tasks.map(({ id }) => id),
    setWebhook: async (webhook) => webhookOf(await client.createPushConfig(webhook)),
    getWebhook: async (taskId, id) => webhookOf(await client.getPushConfig({ taskId, id })),
    listWebhooks: async (taskId) => (await client.listPushConfigs({ taskId })).configs.map(webhookOf),
    async deleteWebhook(taskId, id) {
      await client.deletePushConfig({ taskId, id });
      return null;
    },
  };
}

function authOf(credential: DrivenCredential | undefined): AgentAuth {
  if (credential === undefined) return NO_AUTH;
  const isKey = 'apiKey' in credential;
  return fixedAuth(
    isKey ? apiKeyCredential('header', KEY_HEADER, credential.apiKey) : bearerCredential(credential.bearer),
  );
}

function requestOf({ parts, skill, blocking = true, ...ids }: DrivenMessage): SendMessageRequest {
  const metadata = skill === undefined ? {} : { metadata: { skillId: skill } };
  const content = parts.map(({ name, ...part }) => ({ ...part, ...(name === undefined ? {} : { filename: name }) }));
  const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: content as readonly Part[] };
  return { message: { ...message, ...metadata, ...ids }, configuration: { returnImmediately: !blocking } };
}

/** A task as the cells read it. */
export function taskOf({ id, contextId, status, artifacts = [] }: RemoteTask): DrivenTask {
  return { id, contextId, state: status.state, parts: artifacts.flatMap(({ parts }) => parts.map(partOf)) };
}

/** An event as the cells read it. */
export function eventOf(event: RemoteEvent): DrivenEvent {
  if ('task' in event) return { taskId: event.task.id, state: event.task.status.state };
  if ('statusUpdate' in event) return { taskId: event.statusUpdate.taskId, state: event.statusUpdate.status.state };
  if ('message' in event) return { taskId: '' };
  return { taskId: event.artifactUpdate.taskId, parts: event.artifactUpdate.artifact.parts.map(partOf) };
}

function partOf(part: Part): DrivenPart {
  const content = 'text' in part ? { text: part.text } : 'raw' in part ? { raw: part.raw } : {};
  const data = 'data' in part ? { data: part.data } : {};
  const { filename, mediaType } = part as { readonly filename?: string; readonly mediaType?: string };
  return {
    ...{ ...content, ...data },
    ...(filename === undefined || filename === '' ? {} : { name: filename }),
    ...(mediaType === undefined || mediaType === '' ? {} : { mediaType }),
  };
}

/** A webhook as the cells read it. */
export function webhookOf({ taskId = '', id = '', url }: TaskPushNotificationConfig): DrivenWebhook {
  return { taskId, id, url };
}
