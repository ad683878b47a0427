import type { InvoiceDocument } from '../document/invoice-document.js';
import type { Invoice } from '../invoice.js';
import type { PdfLimits } from '../pdf/pdf-limits.js';

/** Request to the reading thread. */
export interface ReaderOrder {
  readonly document: InvoiceDocument;
  readonly pdf: PdfLimits;
}

/** Its answers: any number of progress texts, then one of the others. */
export type ReaderReply =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'read'; readonly invoice: Invoice }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'broke'; readonly error: unknown };
