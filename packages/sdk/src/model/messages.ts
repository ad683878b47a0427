import type { Message, Part } from '@parley/protocol/model/message.js';
import type { ModelMessage } from './model.port.js';

/** Messages of tasks as a model reads them: callers are its users, and agents speak as it. */
export function messagesOf(messages: readonly Pick<Message, 'role' | 'parts'>[]): readonly ModelMessage[] {
  return messages.map(({ role, parts }) => ({
    role: role === 'ROLE_AGENT' ? 'assistant' : 'user',
    text: textOf(parts),
  }));
}

/** Parts as a text: data as JSON; a file that the model cannot read is named, so that it can say so. */
export function textOf(parts: readonly Part[]): string {
  return parts.map(partText).join('\n');
}

function partText(part: Part): string {
  if ('text' in part) return part.text;
  if ('data' in part) return JSON.stringify(part.data);
  const { filename = 'without a name', mediaType = 'of an unknown type' } = part;
  const size = 'raw' in part ? `, ${String(Math.ceil((part.raw.length * 3) / 4))} bytes` : '';
  return `[file ${filename}, ${mediaType}${size}: it cannot be read by this model]`;
}
