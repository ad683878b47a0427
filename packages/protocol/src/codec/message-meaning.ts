import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { CONTEXT_EXTENSION } from '../extension/context-extension.js';
import type { JsonObject } from '../model/json.js';
import type { Part } from '../model/message.js';
import type { SendMessageRequest } from '../model/operations.js';

/** Members of metadata that describe one sending of a message: the next sending of the same message has others. */
const OF_A_SENDING = new Set(['traceparent', 'tracestate', 'baggage', 'timestamp']);
/** Likewise metadata of extensions for times and traces, by a segment of their URI or of the name made of it. */
const OF_A_SENDING_EXTENSION = /[/:](timestamp|traceability|tracing|trace|trace-context)([/:]|$)/i;
/** Likewise members of the context object. */
const OF_A_SENDING_CONTEXT = new Set(['timestamp', 'nonce', 'trace_id']);
/** Longer content is hashed by itself: characters. */
const LONG = 4096;

/** The caller that sends a message. */
interface Sender {
  readonly client: string;
  readonly subject?: string | undefined;
}

/**
 * A digest of a message's content and sender: equal for two sendings of one message, whatever the binding, the protocol
 * version and the order of members (RFC 8785). The message of another person is another one, with the same words too.
 */
export function meaningOf({ message, metadata }: SendMessageRequest, { client, subject }: Sender): string {
  const { messageId, role, taskId, contextId, parts, referenceTaskIds: references } = message;
  const said = {
    ...{ client, subject, messageId, role, taskId: present(taskId), contextId: present(contextId) },
    references: references === undefined || references.length === 0 ? undefined : references,
    ...{ parts: parts.map(meantPart), metadata: lasting(message.metadata), ofRequest: lasting(metadata) },
  };
  return hash('sha256', canonicalize(said) ?? '', 'base64url');
}

/** Metadata without the entries of one sending; undefined where nothing else is in it. */
export function lasting(metadata: JsonObject | null | undefined): JsonObject | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  const kept = Object.entries(metadata).flatMap(([name, value]) => {
    if (OF_A_SENDING.has(name.toLowerCase()) || OF_A_SENDING_EXTENSION.test(name)) return [];
    const meant = name === CONTEXT_EXTENSION ? lastingContext(value) : value;
    return meant === undefined ? [] : [[name, meant] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function lastingContext(context: unknown): unknown {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) return context;
  const kept = Object.entries(context).filter(([name]) => !OF_A_SENDING_CONTEXT.has(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Without members that bindings add or leave out: empty ones, and the media type that follows from the content. */
function meantPart(part: Part): JsonObject {
  // A validated part has all four contents, three of them undefined.
  const { text, raw, url, data, metadata, filename, mediaType }: PartMembers = part;
  const implied = text !== undefined ? 'text/plain' : data !== undefined ? 'application/json' : undefined;
  return {
    ...{ url, data, ...shortened('text', text), ...shortened('raw', raw) },
    ...{ filename: present(filename), mediaType: mediaType === implied ? undefined : present(mediaType) },
    metadata: lasting(metadata),
  };
}

interface PartMembers extends Pick<Part, 'metadata' | 'filename' | 'mediaType'> {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: unknown;
}

function shortened(name: string, text: string | undefined): JsonObject {
  if (text === undefined || text.length <= LONG) return { [name]: text };
  return { [`${name}Digest`]: hash('sha256', text, 'base64url') };
}

function present(text: string | null | undefined): string | undefined {
  return text === '' || text === null ? undefined : text;
}
