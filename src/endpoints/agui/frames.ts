import type { JsonObject } from '@parley/protocol/model/json.js';
import type { RawPart, UrlPart } from '@parley/protocol/model/message.js';

/** An event of AG-UI. Members that are undefined are absent on the wire: AG-UI knows no null for absent. */
export type Frame = JsonObject & { readonly type: string };

/** A run of a page: the address of its frames. */
export interface Run {
  readonly threadId: string;
  readonly runId: string;
  readonly parentRunId?: string | undefined;
  /** Whether the client speaks the dialect before 1.0, whose schemas refuse what they do not know. */
  readonly isOld: boolean;
  /** Parts of the message that the service cannot use, for the page. */
  readonly skipped?: readonly string[];
}

/** A file up to this size is inside its frame; a larger one is read by GetTask. Characters of base64. */
const MAX_INLINE = 87_384;

/** An appended piece of an assistant's message. Needs no end: the next message, or the end of the run, closes it. */
export function chunk(messageId: string, delta: string, about?: JsonObject): Frame {
  return { type: 'TEXT_MESSAGE_CHUNK', messageId, role: 'assistant', delta, ...metadataOf(about) };
}

/** Progress or content that is no text; replaces the one of its id. */
export function activity(kind: string, messageId: string, content: JsonObject): Frame {
  return { type: 'ACTIVITY_SNAPSHOT', messageId, activityType: `parley.${kind}`, content, replace: true };
}

export function runStarted({ threadId, runId, parentRunId, isOld, skipped }: Run, about: JsonObject): Frame {
  const more = skipped === undefined || skipped.length === 0 ? about : { ...about, skipped };
  const version = isOld ? {} : { protocolVersion: '1.0' };
  return { type: 'RUN_STARTED', threadId, runId, ...version, parentRunId, ...metadataOf(more) };
}

/** The successful end. @param more result and usage, where there are any */
export function runSucceeded({ threadId, runId }: Run, more: JsonObject = {}): Frame {
  return { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' }, ...more };
}

export function runInterrupted({ threadId, runId }: Run, interrupts: readonly JsonObject[]): Frame {
  return { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'interrupt', interrupts } };
}

/** The end of a canceled run. The old dialect has no outcome for it: an activity states it. */
export function runCanceled({ threadId, runId, isOld }: Run, taskId: string): readonly Frame[] {
  const finished = { type: 'RUN_FINISHED', threadId, runId };
  if (!isOld) return [{ ...finished, outcome: { type: 'cancelled' } }];
  const state = { state: 'TASK_STATE_CANCELED' };
  return [activity('status', `${taskId}/status`, state), { ...finished, ...metadataOf(state) }];
}

export function runFailed(message: string, code: string, about?: JsonObject): Frame {
  return { type: 'RUN_ERROR', message, code, ...metadataOf(about) };
}

/** A file of an artifact: inline or by a link, or by the address of its artifact where it is large. */
export function fileContent(part: RawPart | UrlPart, place: JsonObject): JsonObject {
  const about = { name: part.filename, mediaType: part.mediaType };
  if ('url' in part) return isLink(part.url) ? { ...about, url: part.url } : { ...about, ...place };
  if (part.raw.length <= MAX_INLINE) return { ...about, data: part.raw };
  return { ...about, ...place, size: Math.floor((part.raw.length * 3) / 4) };
}

/** No other scheme is passed on: a page may open it (`javascript:`, `data:`). */
export function isLink(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

function metadataOf(about: JsonObject | undefined): JsonObject {
  return about === undefined ? {} : { metadata: { parley: about } };
}
