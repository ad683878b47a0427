import { describe, expect, it } from '@jest/globals';
import { PLAIN_INVOICES } from '../../../../../test/support/invoice/plain-invoices.js';
import { writePdf } from '../../../../../test/support/invoice/pdf-writer.js';
import { PDF_LIMITS } from '../pdf/pdf-limits.js';
import type { PdfPage } from '../pdf/pdf-part.js';
import { readPdf } from '../pdf/read-pdf.js';
import { readText } from './read-text.js';

async function pagesOf(bytes: Uint8Array): Promise<PdfPage[]> {
  const pages: PdfPage[] = [];
  for await (const part of readPdf(bytes, PDF_LIMITS, new AbortController().signal)) {
    if (part.kind === 'page') pages.push(part);
  }
  return pages;
}

describe(readText.name, () => {
  it.each(PLAIN_INVOICES.map((invoice) => [invoice.name, invoice] as const))(
    'reads %s',
    async (_, { pages, expected }) => {
      const invoice = readText(await pagesOf(await writePdf(pages)));
      const { totals, seller, buyer } = invoice;
      expect({
        number: invoice.number?.value,
        issueDate: invoice.issueDate?.value,
        dueDate: invoice.dueDate?.value,
        currency: invoice.currency?.value,
        seller: seller.name?.value,
        sellerVatId: seller.vatId?.value,
        buyer: buyer.name?.value,
        taxExclusive: totals.taxExclusive?.value,
        tax: totals.tax?.value,
        taxInclusive: totals.taxInclusive?.value,
        payable: totals.payable?.value,
        lines: invoice.lines.length,
      }).toEqual({ dueDate: undefined, sellerVatId: undefined, taxExclusive: undefined, tax: undefined, ...expected });
    },
  );
});
