import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import { DELEGATION } from '@parley/protocol/extension/delegation.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import type { Part } from '@parley/protocol/model/message.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { FORM_MEMBER } from '@parley/protocol/mcp/question.js';

/** Reserved for the service: a caller's values below it would be read as the service's. */
const OWN = /^urn:parley:/i;

/** Members that a caller may set in a message: each is checked where it is read. */
const OF_MESSAGES: Readonly<Record<string, (value: unknown) => unknown>> = {
  [CONTEXT_EXTENSION]: same,
  [SCOPE_EXTENSION]: same,
  [DELEGATION]: same,
  [FORM_MEMBER]: same,
  // The service itself records the questions that a message answered.
  [QUESTIONS_EXTENSION]: (value) => (isJsonObject(value) ? { questionId: value.questionId } : value),
};

/** Members of a request and of a part: none. */
const NOTHING: typeof OF_MESSAGES = {};

/** The request without reserved members below `urn:parley:` in the metadata of request, message and parts. */
export function withoutForeignWords(request: SendMessageRequest): SendMessageRequest {
  const { message, metadata } = request;
  const ofRequest = allowed(metadata, NOTHING);
  const ofMessage = allowed(message.metadata, OF_MESSAGES);
  const isForged = message.parts.some((part) => allowed(part.metadata, NOTHING) !== part.metadata);
  if (ofRequest === metadata && ofMessage === message.metadata && !isForged) return request;
  const parts = isForged ? message.parts.map(withoutForeignMetadata) : message.parts;
  const own = { ...message, parts, ...(ofMessage === undefined ? {} : { metadata: ofMessage }) };
  return { ...request, message: own, ...(ofRequest === undefined ? {} : { metadata: ofRequest }) };
}

function withoutForeignMetadata(part: Part): Part {
  const { metadata } = part;
  const own = allowed(metadata, NOTHING);
  return own === undefined || own === metadata ? part : { ...part, metadata: own };
}

/** Returns the same object if nothing is removed. */
function allowed(metadata: JsonObject | undefined, claims: typeof OF_MESSAGES): JsonObject | undefined {
  if (metadata === undefined || !Object.keys(metadata).some((name) => OWN.test(name))) return metadata;
  const entries = Object.entries(metadata).flatMap(([name, value]) => {
    if (!OWN.test(name)) return [[name, value] as const];
    const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return claim === undefined ? [] : [[name, claim(value)] as const];
  });
  return Object.fromEntries(entries);
}

function same(value: unknown): unknown {
  return value;
}
