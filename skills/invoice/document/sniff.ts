import { isUtf8 } from 'node:buffer';
import type { InvoiceDocument } from './invoice-document.js';
import { UnreadableDocument } from './unreadable-document.js';

/** A PDF may have a kilobyte of anything before its header (ISO 32000-1, annex H). */
const PDF_HEADER_WITHIN = 1024;

/** Detects the type of a file by its bytes: names and media types are claims. Throws `UnreadableDocument`. */
export function sniff(bytes: Uint8Array, name: string): InvoiceDocument {
  if (bytes.length === 0) throw new UnreadableDocument(`${name} is empty.`);
  const head = Buffer.from(bytes.subarray(0, PDF_HEADER_WITHIN)).toString('latin1');
  if (head.includes('%PDF-')) return { kind: 'pdf', name, bytes };
  // Without its zero bytes and byte order mark, UTF-16 shows the same first character as UTF-8.
  const start = head
    .replace(/^(?:ï»¿|ÿþ|þÿ)/u, '')
    .replace(/\0/gu, '')
    .trimStart();
  if (start.startsWith('<')) return { kind: 'xml', name, bytes };
  if (start.startsWith('{') || start.startsWith('[')) return { kind: 'json', name, bytes };
  if (isText(bytes)) return { kind: 'text', name, bytes };
  throw new UnreadableDocument(`${name} is neither a PDF nor XML nor JSON nor text.${hint(head)}`);
}

/** Valid UTF-8 without control characters but those of lines and columns. */
function isText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte));
}

function hint(head: string): string {
  if (/^(?:\u0089PNG|ÿØÿ|GIF8|II\*|MM\0\*)/u.test(head))
    return ' Pictures of invoices are not read; send the PDF or the electronic invoice.';
  if (head.startsWith('PK'))
    return ' Archives and office documents are not read; send the PDF or the electronic invoice.';
  return '';
}
