import { createHmac } from 'node:crypto';

/** Members whose values are names, states and times of the protocol, and not what was said. */
const KEPT = new Set([
  ...['id', 'taskId', 'contextId', 'messageId', 'artifactId', 'referenceTaskIds', 'role', 'kind', 'state'],
  ...['timestamp', 'append', 'lastChunk', 'final', 'mediaType', 'extensions', 'at', 'ms', 'until', 'what'],
]);

/**
 * A value with its shape, and marks in place of its texts and numbers: their length, and a hash under a key of this bundle.
 * Equal texts of a bundle have equal marks; nothing can be guessed from one.
 * @param key random, and not kept
 */
export function stripped(value: unknown, key: Buffer): unknown {
  if (typeof value === 'string') return markOf('text', value, key);
  if (typeof value === 'number') return markOf('number', String(value), key);
  if (Array.isArray(value)) return value.map((item) => stripped(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isKept = KEPT.has(name) && (typeof member !== 'object' || Array.isArray(member));
      return [name, isKept ? member : stripped(member, key)];
    }),
  );
}

function markOf(kind: 'text' | 'number', text: string, key: Buffer): string {
  const hash = createHmac('sha256', key).update(text).digest('hex').slice(0, 12);
  return `<${kind} ${String(text.length)} ${hash}>`;
}
