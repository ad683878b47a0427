import { PART_CONTENT_MEMBERS, type Part } from '../protocol/message.js';

/**
 * Which content a part has. A part that comes of a validated request is an instance that has all four members, three
 * of them undefined, so their being there says nothing.
 */
export function kindOf(part: Part): (typeof PART_CONTENT_MEMBERS)[number] | undefined {
  const members: Readonly<Record<string, unknown>> = { ...part };
  return PART_CONTENT_MEMBERS.find((name) => members[name] !== undefined);
}
