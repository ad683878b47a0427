import { createHmac } from 'node:crypto';
import { isTaskId } from '../../tasks/task.keys.js';

/** The kind of a value in A2A: a member to keep if it matches the protocol's own words; else content. */
export type Shape = Keep | { readonly members: Readonly<Record<string, () => Shape>> } | { readonly each: Shape };
type Keep = (value: unknown) => boolean;

const fits =
  (pattern: RegExp): Keep =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const isFlag: Keep = (value) => typeof value === 'boolean';
const isOwnId: Keep = (value) => typeof value === 'string' && isTaskId(value);
/** Callers choose contexts: only those in the service's own form are kept. */
const isContext = fits(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
const isState = fits(/^TASK_STATE_[A-Z_]{1,30}$/);
const isRole = fits(/^ROLE_(?:USER|AGENT)$/);
const isTime = fits(/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/);
const isMediaType = fits(
  /^(?:text\/(?:plain|markdown|html|csv)|application\/(?:json|pdf|xml|octet-stream)|image\/(?:png|jpeg))$/,
);
const isNothing: Keep = () => false;

const listOf = (shape: Shape): Shape => ({ each: shape });
/** The kinds of parts are named, since these names are A2A's; their content is dropped. */
const PART: Shape = {
  members: {
    ...Object.fromEntries(
      ['text', 'raw', 'url', 'data', 'filename', 'metadata'].map((name) => [name, () => isNothing]),
    ),
    mediaType: () => isMediaType,
  },
};
const MESSAGE: Shape = {
  members: {
    taskId: () => isOwnId,
    contextId: () => isContext,
    role: () => isRole,
    parts: () => listOf(PART),
    referenceTaskIds: () => listOf(isOwnId),
    ...Object.fromEntries(['messageId', 'metadata', 'extensions'].map((name) => [name, () => isNothing])),
  },
};
const STATUS: Shape = { members: { state: () => isState, timestamp: () => isTime, message: () => MESSAGE } };
const ARTIFACT: Shape = {
  members: {
    parts: () => listOf(PART),
    ...Object.fromEntries(
      ['artifactId', 'name', 'description', 'metadata', 'extensions'].map((name) => [name, () => isNothing]),
    ),
  },
};
const IDS = { taskId: () => isOwnId, contextId: () => isContext, metadata: () => isNothing };

/** A task of A2A 1.0. */
export const TASK_SHAPE: Shape = {
  members: {
    ...{ id: () => isOwnId, contextId: () => isContext, metadata: () => isNothing, status: () => STATUS },
    ...{ artifacts: () => listOf(ARTIFACT), history: () => listOf(MESSAGE) },
  },
};

/** An event of A2A 1.0. */
export const EVENT_SHAPE: Shape = {
  members: {
    task: () => TASK_SHAPE,
    message: () => MESSAGE,
    statusUpdate: () => ({ members: { ...IDS, status: () => STATUS } }),
    artifactUpdate: () => ({
      members: { ...IDS, artifact: () => ARTIFACT, append: () => isFlag, lastChunk: () => isFlag },
    }),
  },
};

/** Journals and shared values: content throughout. */
export const CONTENT_SHAPE: Shape = isNothing;

/**
 * A value with its shape, and marks in place of everything but A2A's own words in their positions: the length of texts,
 * numbers and names, and a hash under a key of this bundle. Equal values of a bundle have equal marks, which reveal
 * nothing.
 * @param key random, never stored
 */
export function stripped(value: unknown, key: Buffer, shape: Shape): unknown {
  if (typeof shape === 'function') return shape(value) ? value : content(value, key);
  if ('each' in shape) {
    return Array.isArray(value) ? value.map((item) => stripped(item, key, shape.each)) : content(value, key);
  }
  if (!isObject(value)) return content(value, key);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const known = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
      return known === undefined
        ? [markOf('name', name, key), content(member, key)]
        : [name, stripped(member, key, known())];
    }),
  );
}

function content(value: unknown, key: Buffer): unknown {
  if (typeof value === 'string') return markOf('text', value, key);
  if (typeof value === 'number') return markOf('number', String(value), key);
  if (typeof value === 'boolean') return '<boolean>';
  if (Array.isArray(value)) return value.map((item) => content(item, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [markOf('name', name, key), content(member, key)]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function markOf(kind: 'text' | 'number' | 'name', text: string, key: Buffer): string {
  const hash = createHmac('sha256', key).update(text).digest('hex').slice(0, 12);
  return `<${kind} ${String(text.length)} ${hash}>`;
}
