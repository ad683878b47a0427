import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';

/** The content of an event: a text, or parts. */
export type Content = string | readonly Part[];

/** The states that a skill may set by an event; FAILED is set by `SkillFailure`, CANCELED by the caller. */
export type SkillStatus = Exclude<TaskState, 'TASK_STATE_SUBMITTED' | 'TASK_STATE_FAILED' | 'TASK_STATE_CANCELED'>;

export interface StatusEvent {
  readonly kind: 'status';
  readonly state: SkillStatus;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
}

export interface ArtifactEvent {
  readonly kind: 'artifact';
  readonly artifactId: string;
  readonly parts: readonly Part[];
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** Everything a skill can yield. */
export type SkillEvent = StatusEvent | ArtifactEvent;

export interface ArtifactOptions {
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
}

/** Progress: the task is being worked on, and this is how far it is. */
export function working(content: Content, metadata?: JsonObject): StatusEvent {
  return status('TASK_STATE_WORKING', content, metadata);
}

/** Ends the turn: the task waits for the caller's answer. */
export function inputRequired(content: Content, metadata?: JsonObject): StatusEvent {
  return status('TASK_STATE_INPUT_REQUIRED', content, metadata);
}

/** Ends the turn: the task waits until a person has logged in or consented elsewhere. */
export function authRequired(content: Content, metadata?: JsonObject): StatusEvent {
  return status('TASK_STATE_AUTH_REQUIRED', content, metadata);
}

/** Ends the task: the skill refuses the request, with the reason. */
export function rejected(content: Content, metadata?: JsonObject): StatusEvent {
  return status('TASK_STATE_REJECTED', content, metadata);
}

/** Ends the task with a last word. Without one, just return. */
export function completed(content: Content, metadata?: JsonObject): StatusEvent {
  return status('TASK_STATE_COMPLETED', content, metadata);
}

/** A whole artifact; one of the same id is replaced. */
export function artifact(artifactId: string, content: Content, options: ArtifactOptions = {}): ArtifactEvent {
  return { kind: 'artifact', artifactId, parts: partsOf(content), ...options, append: false, lastChunk: true };
}

/** The next piece of an artifact that grows; the first piece of a run begins it anew. */
export function chunk(
  artifactId: string,
  content: Content,
  options: ArtifactOptions & { readonly last?: boolean } = {},
): ArtifactEvent {
  const { last = false, ...described } = options;
  return { kind: 'artifact', artifactId, parts: partsOf(content), ...described, append: true, lastChunk: last };
}

function status(state: SkillStatus, content: Content, metadata?: JsonObject): StatusEvent {
  return { kind: 'status', state, parts: partsOf(content), ...(metadata === undefined ? {} : { metadata }) };
}

function partsOf(content: Content): readonly Part[] {
  return typeof content === 'string' ? [{ text: content }] : content;
}
