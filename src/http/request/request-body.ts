import { A2AError } from '@parley/protocol/model/errors.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';

/** Maximum body size without the bytes of files: text is expensive to parse, store and pass on. */
const MAX_TEXT = 1024 * 1024;
/** Maximum body size with files. */
export const MAX_BODY = 10 * 1024 * 1024;
/** Members with base64 bytes, in all dialects. */
const FILE_MEMBERS = new Set(['raw', 'bytes', 'fileWithBytes']);

/** Whether a body is uncompressed. @param encoding the `Content-Encoding` header */
export function isIdentity(encoding = 'identity'): boolean {
  return encoding.trim().toLowerCase() === 'identity';
}

/** The bytes of a body. @throws A2AError ParseError without a body */
export function bytesOf(body: unknown): Buffer {
  if (!Buffer.isBuffer(body)) throw new A2AError('ParseError', 'Invalid JSON payload');
  return body;
}

/** Parses a JSON body. Throws `A2AError` ParseError, InvalidRequest or RequestTooLarge. */
export function readJson(body: unknown): unknown {
  const json = bytesOf(body);
  const value = parseJson(json);
  requireTextRoom(json.length, value);
  return value;
}

/** Bounds the text of a value with its bytes as JSON. Throws `A2AError` RequestTooLarge. */
export function requireTextRoom(bytes: number, value: unknown): void {
  if (bytes > MAX_TEXT && bytes - fileBytes(value) > MAX_TEXT) throw tooLarge();
}

export function tooLarge(): A2AError {
  return new A2AError(
    'RequestTooLarge',
    `The request is too large: at most ${String(MAX_TEXT)} bytes, or ${String(MAX_BODY)} with files`,
  );
}

function fileBytes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, member]: [string, unknown]) => {
    if (typeof member !== 'string') return sum + fileBytes(member);
    return FILE_MEMBERS.has(name) ? sum + member.length : sum;
  }, 0);
}
