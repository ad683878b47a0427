import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Opaque } from '@parley/sdk/model/model.port.js';

/**
 * What compatible servers want back beside calls of tools: reasoning in members of the message (DeepSeek, OpenRouter), and marks of
 * Gemini at each call.
 */
export const MESSAGE_MEMBERS = ['reasoning_content', 'reasoning_details'] as const;
export const CALL_MEMBER = 'extra_content';

export interface OpenAiOpaque {
  readonly members: JsonObject;
  /** By the id of the call. */
  readonly ofCalls: Readonly<Record<string, JsonObject>>;
}

const NOTHING: OpenAiOpaque = { members: {}, ofCalls: {} };

/** The opaque content of a message that came from here. */
export function opaqueOf(opaque: readonly Opaque[] | undefined, origin: string): OpenAiOpaque {
  const data = opaque?.find(({ of }) => of === origin)?.data;
  if (!isJsonObject(data)) return NOTHING;
  const { members, ofCalls } = data;
  return {
    members: isJsonObject(members) ? members : {},
    ofCalls: isJsonObject(ofCalls) ? (ofCalls as Record<string, JsonObject>) : {},
  };
}
