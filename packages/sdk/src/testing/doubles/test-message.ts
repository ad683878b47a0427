import { randomUUID } from 'node:crypto';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import type { ComingMessage } from '../waiting-run.js';

/** Content of a message of a test. */
export interface Said {
  readonly text?: string;
  /** The values of data parts. */
  readonly data?: readonly unknown[];
  /** Raw, url or any other parts, after the text and the data. */
  readonly parts?: readonly Part[];
  /** Memory that the caller lends: the skill gets the keys in its contract. */
  readonly memory?: JsonObject;
  /** Metadata of the message. */
  readonly messageMetadata?: JsonObject;
}

/** A message to the task of a turn that runs or waits. */
export interface Coming {
  /** When it comes, ms after the start of the turn. */
  readonly atMs: number;
  readonly text?: string;
  readonly data?: readonly unknown[];
  /** Its `metadata.signal`. */
  readonly signal?: string;
}

/** A message of a caller. */
export function aMessage({ text, data = [], parts = [], messageMetadata, memory }: Said): Message {
  const lent = memory === undefined ? undefined : { [CONTEXT_EXTENSION]: { memory } };
  return {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [...(text === undefined ? [] : [{ text }]), ...data.map((value) => ({ data: value })), ...parts],
    ...(messageMetadata === undefined && lent === undefined ? {} : { metadata: { ...messageMetadata, ...lent } }),
  };
}

export function comingMessage({ atMs, signal, ...said }: Coming): ComingMessage {
  return { atMs, message: aMessage({ ...said, ...(signal === undefined ? {} : { messageMetadata: { signal } }) }) };
}
