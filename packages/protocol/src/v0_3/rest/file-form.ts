/**
 * The two readings of `FilePart.file_with_bytes` of 0.3, on HTTP+JSON and gRPC. The proto and the JavaScript SDK have the
 * bytes of the file there; the Python, Go and Java SDKs have the characters of its base64 text, and expect them.
 */
import { isBase64 } from '../../json/base64.js';
import { toStandardBase64 } from '../../json/standard-base64.js';

/** Content of `file_with_bytes` for one caller. */
export type FileForm = 'bytes' | 'base64-text';

/** The HTTP and gRPC libraries of the Python, Go and Java SDKs, as they name themselves, behind a name of the application. */
const BASE64_TEXT_AGENTS = /(?:^|\s)(?:python-httpx|grpc-python|Go-http-client|grpc-go|Java-http-client|grpc-java)/i;

/** Media types whose content is never base64 text: it begins with a signature, a bracket, or characters outside base64. */
const NEVER_BASE64 =
  /^(?:(?:image|audio|video|font)\/|application\/(?:pdf|zip|gzip|json|xml|vnd\.openxmlformats)|text\/(?:html|xml)|[^;]*\+(?:json|xml|zip))/i;

/** The form that a caller reads and writes, by its User-Agent. */
export function fileFormOf(userAgent: string | undefined): FileForm {
  return userAgent !== undefined && BASE64_TEXT_AGENTS.test(userAgent) ? 'base64-text' : 'bytes';
}

/**
 * The base64 of a file's content, from its `file_with_bytes` in ProtoJSON. A value that is base64 text as a whole is
 * decoded once more if the caller writes base64 text, or if the media type cannot be that of base64 text. A text file
 * that is base64 text itself is kept: it came as bytes, or was encoded twice.
 */
export function contentFromProto(value: string, mediaType: unknown, form: FileForm): string {
  const raw = toStandardBase64(value);
  const isOtherType = typeof mediaType === 'string' && NEVER_BASE64.test(mediaType);
  if ((form === 'bytes' && !isOtherType) || !isBase64(raw)) return raw;
  const text = Buffer.from(raw, 'base64').toString('latin1');
  return isBase64Text(text, mediaType) ? text : raw;
}

/** The reverse of `contentFromProto`. */
export function contentToProto(raw: string | undefined, form: FileForm): string | undefined {
  return raw === undefined || form === 'bytes' ? raw : Buffer.from(raw, 'latin1').toString('base64');
}

/** Whether a text is base64 that an encoder has written. `1234` and `true` are JSON too, and stay so. */
function isBase64Text(text: string, mediaType: unknown): boolean {
  if (text === '' || !isBase64(text) || Buffer.from(text, 'base64').toString('base64') !== text) return false;
  return !(typeof mediaType === 'string' && /json/i.test(mediaType) && /^(?:\d+|true|null)$/.test(text));
}
