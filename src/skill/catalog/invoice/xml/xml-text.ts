import { UnreadableDocument } from '../document/unreadable-document.js';

/** Encodings that XML invoices are met in; anything else is refused by name. */
const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15'];

/** Decodes the bytes of an XML document by its byte order mark, then by its declaration, else as UTF-8 (XML 1.0, appendix F). */
export function xmlText(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableDocument(`The XML is not valid ${encoding} text.`);
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const head = new TextDecoder('windows-1252').decode(bytes.subarray(0, 200));
  const declared = /^[^<]{0,3}<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(head)?.[1] ?? 'utf-8';
  try {
    // The decoder knows every alias (`latin1`, `ISO-8859-1`) and answers with the one name of the encoding.
    const { encoding } = new TextDecoder(declared);
    if (ENCODINGS.includes(encoding)) return encoding;
  } catch {
    // An encoding that the decoder has never heard of is refused below, like one that is not allowed.
  }
  throw new UnreadableDocument(
    `The XML is written in the encoding "${declared}", which is not supported; send it as UTF-8.`,
  );
}
