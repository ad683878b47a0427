import { A2AError } from '../model/errors.js';
import type { TaskArtifactUpdateEvent } from '../model/event.js';
import type { JsonObject } from '../model/json.js';
import { type Message, PART_CONTENT_MEMBERS } from '../model/message.js';
import type { TaskPushNotificationConfig } from '../model/push-config.js';
import { TASK_STATES } from '../model/task-state.js';
import { isJsonObject } from '../json/json-value.js';
import type {
  RemoteEvent,
  RemotePushConfigs,
  RemoteReply,
  RemoteStatus,
  RemoteTask,
  RemoteTaskList,
} from './remote-model.js';

/* Checks what another agent has sent, in the shape of v1: each throws `A2AError` InvalidAgentResponse with the path. */

/** Artifacts, messages, parts or configs in one list: more are refused. */
const MAX_ENTRIES = 10_000;

export function readTask(value: unknown, at = 'task'): RemoteTask {
  const task = objectAt(value, at);
  textAt(task.id, `${at}.id`);
  if (task.contextId !== undefined) stringAt(task.contextId, `${at}.contextId`);
  if (task.artifacts !== undefined) listAt(task.artifacts, `${at}.artifacts`, readArtifact);
  if (task.history !== undefined) listAt(task.history, `${at}.history`, readMessage);
  metadataAt(task.metadata, at);
  return { contextId: '', ...task, status: readStatus(task.status, `${at}.status`) } as unknown as RemoteTask;
}

export function readReply(value: unknown): RemoteReply {
  const reply = objectAt(value, 'result');
  if (reply.task !== undefined) return { task: readTask(reply.task) };
  if (reply.message !== undefined) return { message: readMessage(reply.message, 'message') };
  throw wrong('result', 'has neither task nor message');
}

export function readEvent(value: unknown): RemoteEvent {
  const event = objectAt(value, 'event');
  if (event.statusUpdate !== undefined) {
    const update = objectAt(event.statusUpdate, 'statusUpdate');
    idsAt(update, 'statusUpdate');
    metadataAt(update.metadata, 'statusUpdate');
    const status = readStatus(update.status, 'statusUpdate.status');
    return { statusUpdate: { contextId: '', ...update, taskId: String(update.taskId), status } };
  }
  if (event.artifactUpdate !== undefined) {
    const update = objectAt(event.artifactUpdate, 'artifactUpdate');
    idsAt(update, 'artifactUpdate');
    metadataAt(update.metadata, 'artifactUpdate');
    readArtifact(update.artifact, 'artifactUpdate.artifact');
    return { artifactUpdate: { contextId: '', ...update } as unknown as TaskArtifactUpdateEvent };
  }
  return readReply(value);
}

export function readTaskList(value: unknown): RemoteTaskList {
  const list = objectAt(value, 'result');
  const tasks = listAt(list.tasks ?? [], 'tasks', readTask);
  return { ...list, tasks, nextPageToken: stringAt(list.nextPageToken ?? '', 'nextPageToken') };
}

export function readPushConfig(value: unknown, at = 'config'): TaskPushNotificationConfig {
  const config = objectAt(value, at);
  textAt(config.url, `${at}.url`);
  return config as unknown as TaskPushNotificationConfig;
}

export function readPushConfigs(value: unknown): RemotePushConfigs {
  const list = objectAt(value, 'result');
  const configs = listAt(list.configs ?? [], 'configs', readPushConfig);
  return { ...list, configs, nextPageToken: stringAt(list.nextPageToken ?? '', 'nextPageToken') };
}

export function readMessage(value: unknown, at: string): Message {
  const message = objectAt(value, at);
  textAt(message.messageId, `${at}.messageId`);
  listAt(message.parts ?? [], `${at}.parts`, readPart);
  metadataAt(message.metadata, at);
  if (message.role !== undefined && message.role !== null) stringAt(message.role, `${at}.role`);
  // A role that no version has could not be written as protobuf.
  const role = message.role === 'ROLE_USER' ? 'ROLE_USER' : 'ROLE_AGENT';
  return { parts: [], ...message, role } as unknown as Message;
}

function readStatus(value: unknown, at: string): RemoteStatus {
  const { state = 'TASK_STATE_UNSPECIFIED', message, ...rest } = objectAt(value, at);
  if (!(TASK_STATES as readonly unknown[]).includes(state) && state !== 'TASK_STATE_UNSPECIFIED') {
    throw wrong(`${at}.state`, 'is not a state of the protocol');
  }
  const said = message === undefined ? {} : { message: readMessage(message, `${at}.message`) };
  return { ...rest, state, ...said } as RemoteStatus;
}

function readArtifact(value: unknown, at: string): void {
  const artifact = objectAt(value, at);
  textAt(artifact.artifactId, `${at}.artifactId`);
  listAt(artifact.parts ?? [], `${at}.parts`, readPart);
  metadataAt(artifact.metadata, at);
}

function readPart(value: unknown, at: string): void {
  const part = objectAt(value, at);
  const content = PART_CONTENT_MEMBERS.filter((name) => part[name] !== undefined);
  if (content.length !== 1) throw wrong(at, `must have exactly one of ${PART_CONTENT_MEMBERS.join(', ')}`);
  for (const name of ['text', 'raw', 'url', 'filename', 'mediaType']) {
    if (part[name] !== undefined) stringAt(part[name], `${at}.${name}`);
  }
  metadataAt(part.metadata, at);
}

function idsAt({ taskId, contextId }: JsonObject, at: string): void {
  textAt(taskId, `${at}.taskId`);
  if (contextId !== undefined && contextId !== null) stringAt(contextId, `${at}.contextId`);
}

function metadataAt(value: unknown, at: string): void {
  if (value !== undefined) objectAt(value, `${at}.metadata`);
}

function objectAt(value: unknown, at: string): JsonObject {
  if (!isJsonObject(value)) throw wrong(at, 'must be an object');
  return value;
}

function stringAt(value: unknown, at: string): string {
  if (typeof value !== 'string') throw wrong(at, 'must be a string');
  return value;
}

function textAt(value: unknown, at: string): string {
  const text = stringAt(value, at);
  if (text === '') throw wrong(at, 'must not be empty');
  return text;
}

function listAt<T>(value: unknown, at: string, read: (entry: unknown, at: string) => T): readonly T[] {
  if (!Array.isArray(value)) throw wrong(at, 'must be a list');
  if (value.length > MAX_ENTRIES) throw wrong(at, `has more than ${String(MAX_ENTRIES)} entries`);
  return value.map((entry: unknown, index) => read(entry, `${at}[${String(index)}]`));
}

function wrong(at: string, why: string): A2AError {
  return new A2AError('InvalidAgentResponse', `The agent's answer is not valid: ${at} ${why}`);
}
