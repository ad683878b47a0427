import type { JsonObject } from '../protocol/json.js';

/** The caller that sent a message, as it was proven when the message was taken in. */
export interface MessageSender {
  readonly tenant: string;
  readonly client: string;
  /** The person or service that the client acted for; absent when it acted for itself. */
  readonly subject?: string;
  /** Of its credential; none for the caller of the open start, which has no credential. */
  readonly scopes: readonly string[];
}

/** Where a task's metadata holds the senders of its messages, by message id. Callers cannot set it, skills do not see it. */
const MEMBER = 'parley:senders';

/** Later messages than these push the oldest senders out; a turn has few messages, and only its own are asked for. */
const MOST_SENDERS = 50;

/** Metadata of a task with the sender of one more message; whatever a request says under that name is dropped. */
export function withSender(
  metadata: JsonObject,
  { messageId, sender }: { readonly messageId: string; readonly sender: MessageSender },
  before: JsonObject = {},
): JsonObject {
  const known = Object.entries(sendersIn(before)).filter(([id]) => id !== messageId);
  const senders = Object.fromEntries([...known.slice(1 - MOST_SENDERS), [messageId, sender]]);
  return { ...withoutSenders(metadata), [MEMBER]: senders };
}

/** Metadata as the request gave it. */
export function withoutSenders(metadata: JsonObject): JsonObject {
  if (!(MEMBER in metadata)) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== MEMBER));
}

/** The recorded senders by message id. */
export function sendersIn(metadata: JsonObject): Readonly<Record<string, MessageSender>> {
  // Written by `withSender` alone: no caller's metadata gets past it.
  return (metadata[MEMBER] ?? {}) as unknown as Readonly<Record<string, MessageSender>>;
}
