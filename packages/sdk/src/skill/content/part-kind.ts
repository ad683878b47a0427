import { PART_CONTENT_MEMBERS, type Part } from '@parley/protocol/model/message.js';

/**
 * The kind of content of a part. A part of a validated request is an instance with all four members, three of them
 * undefined, so `in` cannot be used.
 */
export function kindOf(part: Part): (typeof PART_CONTENT_MEMBERS)[number] | undefined {
  const members: Readonly<Record<string, unknown>> = { ...part };
  return PART_CONTENT_MEMBERS.find((name) => members[name] !== undefined);
}
