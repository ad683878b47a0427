import type { Message, Part } from '@parley/protocol/model/message.js';
import { mediaTypesOverlap } from '../skill/content/media-type.js';
import type { ModelFile, ModelMessage } from './model.port.js';

/** Bounds of the files of a request: their number, and their bytes, of each and of all. */
const MAX_FILES = 10;
const MAX_FILE_BYTES = 8 * 1_048_576;
const MAX_BYTES = 20 * 1_048_576;

/**
 * Messages of tasks as a model reads them: callers are its users, and agents speak as it. Files that it reads are beside the text, the
 * latest ones first where there are too many; a text names each file, so that the model can speak of it.
 * @param reads media types of files, or ranges
 */
export function messagesOf(
  messages: readonly Pick<Message, 'role' | 'parts'>[],
  reads: readonly string[],
): readonly ModelMessage[] {
  const left = { files: MAX_FILES, bytes: MAX_BYTES };
  const made = messages.toReversed().map(({ role, parts }): ModelMessage => {
    if (role === 'ROLE_AGENT') return { role: 'assistant', text: textOf(parts) };
    const files = new Map(
      parts.flatMap((part) => {
        const file = readable(part, reads, left);
        return file === undefined ? [] : [[part, file] as const];
      }),
    );
    const text = textOf(parts, (part) => files.has(part));
    return files.size === 0 ? { role: 'user', text } : { role: 'user', text, files: [...files.values()] };
  });
  return made.reverse();
}

/** Parts as a text: data as JSON, and files by their names. */
export function textOf(parts: readonly Part[], isRead: (part: Part) => boolean = () => false): string {
  return parts.map((part) => partText(part, isRead(part))).join('\n');
}

/** A file that the model reads, as far as there is room for it. Addresses are not followed. */
function readable(part: Part, reads: readonly string[], left: { files: number; bytes: number }): ModelFile | undefined {
  const { mediaType, filename } = part;
  if (!('raw' in part) || mediaType === undefined) return undefined;
  const bytes = bytesOf(part.raw);
  const isKnown = reads.some((range) => mediaTypesOverlap(range, mediaType));
  if (!isKnown || bytes === 0 || bytes > Math.min(MAX_FILE_BYTES, left.bytes) || left.files === 0) return undefined;
  left.files -= 1;
  left.bytes -= bytes;
  return { mediaType, data: part.raw, ...(filename === undefined ? {} : { name: filename }) };
}

function partText(part: Part, isRead: boolean): string {
  if ('text' in part) return part.text;
  if ('data' in part) return JSON.stringify(part.data);
  const { filename = 'without a name', mediaType = 'of an unknown type' } = part;
  const size = 'raw' in part ? `, ${String(bytesOf(part.raw))} bytes` : '';
  return `[file ${filename}, ${mediaType}${size}${isRead ? '' : ': it cannot be read by this model'}]`;
}

function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
