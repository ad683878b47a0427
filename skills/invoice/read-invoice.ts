import { safeParse } from 'secure-json-parse';
import type { InvoiceDocument } from './document/invoice-document.js';
import { isTextWithin, JSON_LIMITS } from './document/json-size.js';
import { UnreadableDocument } from './document/unreadable-document.js';
import { MAX_ALLOWANCES, MAX_LINES, MAX_TAXES } from './invoice-terms.js';
import type { Invoice } from './invoice.js';
import { readJson } from './json/read-json.js';
import type { PdfLimits } from './pdf/pdf-limits.js';
import type { PdfAttachment, PdfPage } from './pdf/pdf-part.js';
import { readPdf } from './pdf/read-pdf.js';
import type { Report } from './reader/reader-thread.js';
import { pageOfText } from './text/page-of-text.js';
import { readText } from './text/read-text.js';
import { readXml } from './xml/read-xml.js';

export interface ReaderOptions {
  readonly pdf: PdfLimits;
  readonly report: Report;
}

/** More text than the largest invoice that is read has; each of its characters is copied, checked, stored and sent. */
const MAX_CHARACTERS = 1024 * 1024;

/**
 * Reads an invoice of any supported kind. It holds the thread that it runs in for as long as it takes: see
 * `readInThread`. Throws `UnreadableDocument` with the reason.
 */
export async function readInvoice(document: InvoiceDocument, options: ReaderOptions): Promise<Invoice> {
  const invoice = await readAny(document, options);
  const { lines, taxes, allowances } = invoice;
  if (lines.length > MAX_LINES || taxes.length > MAX_TAXES || allowances.length > MAX_ALLOWANCES) {
    throw new UnreadableDocument(
      `The invoice is too large: at most ${MAX_LINES} lines, ${MAX_TAXES} VAT lines and ${MAX_ALLOWANCES} allowances are read.`,
    );
  }
  if (JSON.stringify(invoice).length > MAX_CHARACTERS) {
    throw new UnreadableDocument('The invoice is too large: its fields hold more than a million characters.');
  }
  return invoice;
}

async function readAny(document: InvoiceDocument, options: ReaderOptions): Promise<Invoice> {
  switch (document.kind) {
    case 'value':
      return readJson(document.value);
    case 'json':
      return readJson(jsonOf(document));
    case 'text':
      return { ...readText([pageOfText(textOf(document))]), format: 'text' };
    case 'xml':
      return readXml(document.bytes);
    case 'pdf':
      return readPdfInvoice(document.bytes, options);
  }
}

/** Less is no invoice in any layout. */
const MIN_CHARACTERS = 25;

function textOf({ bytes, name }: { readonly bytes: Uint8Array; readonly name: string }): string {
  const text = new TextDecoder().decode(bytes);
  if (text.trim().length < MIN_CHARACTERS) throw new UnreadableDocument(`${name} is too short for an invoice.`);
  return text;
}

function jsonOf({ bytes, name }: { readonly bytes: Uint8Array; readonly name: string }): unknown {
  if (!isTextWithin(bytes, JSON_LIMITS)) throw new UnreadableDocument(`${name} has far more values than an invoice.`);
  const value: unknown = safeParse(new TextDecoder().decode(bytes));
  if (value === null || value === undefined) throw new UnreadableDocument(`${name} is not valid JSON.`);
  return value;
}

/** XML inside of the PDF is the invoice (Factur-X, ZUGFeRD); the pages are read only when there is none. */
async function readPdfInvoice(bytes: Uint8Array, { pdf, report }: ReaderOptions): Promise<Invoice> {
  const pages: PdfPage[] = [];
  let count = 0;
  for await (const part of readPdf(bytes, pdf)) {
    if (part.kind === 'page') {
      pages.push(part);
      report(`Read page ${String(part.number)} of ${String(count)}`);
      continue;
    }
    count = part.pages;
    const invoice = await embeddedInvoice(part.attachments);
    if (invoice !== undefined) return invoice;
  }
  return readText(pages);
}

/** Names that the standards give to the invoice inside of a PDF; others are tried after them. */
const STANDARD_NAME = /^(?:factur-x|zugferd-invoice|xrechnung|cii|ubl)\.xml$/iu;

async function embeddedInvoice(attachments: readonly PdfAttachment[]): Promise<Invoice | undefined> {
  const xml = attachments
    .filter(({ name, bytes }) => /\.xml$/iu.test(name) || startsLikeXml(bytes))
    .toSorted((a, b) => Number(STANDARD_NAME.test(b.name)) - Number(STANDARD_NAME.test(a.name)));
  for (const { name, bytes } of xml) {
    try {
      return { ...(await readXml(bytes)), format: 'factur-x' };
    } catch (error) {
      // An invoice under a standard name that cannot be read is the document's fault; any other XML is just not one.
      if (!(error instanceof UnreadableDocument)) throw error;
      if (STANDARD_NAME.test(name))
        throw new UnreadableDocument(`The invoice inside of the PDF cannot be read. ${error.message}`);
    }
  }
  return undefined;
}

function startsLikeXml(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 8)).toString('latin1').replace(/^ï»¿/u, '').trimStart().startsWith('<');
}
