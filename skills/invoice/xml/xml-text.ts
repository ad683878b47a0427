import { UnreadableDocument } from '../document/unreadable-document.js';

/** Encodings that XML invoices are met in; anything else is refused by name. */
const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15'];

/** Decodes the bytes of an XML document by its byte order mark, then by its declaration, else as UTF-8 (XML 1.0, appendix F). */
export function xmlText(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  if (encoding === 'windows-1252') return windows1252(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableDocument(`The XML is not valid ${encoding} text.`);
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const declared = /^[^<]{0,3}<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(head)?.[1] ?? 'utf-8';
  try {
    // The decoder knows every alias (`latin1`, `ISO-8859-1`) and answers with the one name of the encoding.
    const { encoding } = new TextDecoder(declared);
    if (ENCODINGS.includes(encoding)) return encoding;
  } catch {
    // An encoding unknown to the decoder is refused below, like one that is not allowed.
  }
  throw new UnreadableDocument(
    `The XML is written in the encoding "${declared}", which is not supported; send it as UTF-8.`,
  );
}

/** Characters of windows-1252 at 0x80 to 0x9f, where Latin 1 has control characters. */
const UPPER = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Decoded by hand: Node 20's TextDecoder takes windows-1252 for Latin 1 and loses the euro sign. */
function windows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes).toString('latin1');
  return latin1.replace(/[\u0080-\u009f]/gu, (character) => UPPER.charAt(character.charCodeAt(0) - 0x80));
}
