import { isBase64 } from './base64.js';

/**
 * Standard, padded base64 of any base64 that ProtoJSON allows: standard or URL-safe, padded or not (A2A-JSON-08).
 * Text that is not base64 is returned unchanged; the validator refuses it.
 */
export function toStandardBase64(text: string): string {
  if (isBase64(text)) return text;
  const unpadded = text
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  const padded = unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, '=');
  return unpadded.length % 4 !== 1 && isBase64(padded) ? padded : text;
}
