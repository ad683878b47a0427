const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;
const OUTSIDE_ALPHABET = /[^A-Za-z0-9+/]/;

/**
 * Standard, padded base64 of any base64 that ProtoJSON allows: standard or URL-safe, padded or not (A2A-JSON-08).
 * Text that is not base64 is returned unchanged; the validator refuses it.
 */
export function toStandardBase64(text: string): string {
  if (text.length % 4 === 0 && STANDARD.test(text)) return text;
  const unpadded = text
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  if (unpadded.length % 4 === 1 || OUTSIDE_ALPHABET.test(unpadded)) return text;
  return unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, '=');
}
