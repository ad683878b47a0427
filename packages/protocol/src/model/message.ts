import type { JsonObject } from './json.js';

/** The author of a message (A2A 1.0, `Role`). */
export type Role = 'ROLE_USER' | 'ROLE_AGENT';

/** Optional members of every part besides its content. */
interface PartBase {
  readonly metadata?: JsonObject;
  readonly filename?: string;
  /** Media type of the content, for example `application/pdf`. */
  readonly mediaType?: string;
}

export interface TextPart extends PartBase {
  readonly text: string;
}
export interface RawPart extends PartBase {
  /** Bytes as standard base64 with padding. */
  readonly raw: string;
}
export interface UrlPart extends PartBase {
  readonly url: string;
}
export interface DataPart extends PartBase {
  /** Any JSON value; `null` is a value here, not an absence (A2A-JSON-07). */
  readonly data: unknown;
}

/** One piece of content; it has exactly one of `text`, `raw`, `url`, `data` (A2A-JSON-06). */
export type Part = TextPart | RawPart | UrlPart | DataPart;

export const PART_CONTENT_MEMBERS = ['text', 'raw', 'url', 'data'] as const;

/** One utterance of the user or the agent (A2A 1.0 `Message`). */
export interface Message {
  /** Made by the author of the message. */
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}
