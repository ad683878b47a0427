import { Inject, Optional } from '@nestjs/common';
import { completed, rejected } from '@parley/sdk';
import type { SkillEvent } from '@parley/sdk';
import { Skill } from '@parley/sdk';
import type { SkillContext, SkillHandler } from '@parley/sdk';
import { FileFetcher } from '@parley/sdk';
import { InvoiceDto } from './dto/invoice.dto.js';
import { DEFAULT_INVOICE_OPTIONS, InvoiceOptions } from './invoice-options.js';
import { invoiceMarkdown, moneyOf, titleOf } from './markdown/invoice-markdown.js';
import { INPUT_MODES, OUTPUT_MODES, artifactsOf } from './output-modes.js';
import { readSentInvoice } from './reading.js';

/** Reads one invoice and hands it out as data and as a summary. */
@Skill({
  id: 'extract_invoice_data',
  name: 'Extract invoice data',
  description:
    'Reads an invoice from a PDF (Factur-X, ZUGFeRD or printed text), UBL or CII XML, or JSON, and returns seller, buyer, ' +
    'numbers, dates, lines, VAT and totals, each with where it was found and how sure that is.',
  tags: ['finance', 'extraction', 'invoice'],
  examples: ['Extract the supplier and the amounts of this invoice', 'List the items of this PDF as JSON'],
  inputModes: INPUT_MODES,
  outputModes: OUTPUT_MODES,
  concurrency: 1,
  output: InvoiceDto,
})
export class ExtractInvoiceDataSkill implements SkillHandler {
  constructor(
    @Optional() @Inject(InvoiceOptions) private readonly options: InvoiceOptions = DEFAULT_INVOICE_OPTIONS,
    @Optional() @Inject(FileFetcher) private readonly fetcher?: FileFetcher,
  ) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const outcome = yield* readSentInvoice(context, { options: this.options, fetcher: this.fetcher });
    if ('refusal' in outcome) {
      yield rejected(outcome.refusal);
      return;
    }
    const { invoice } = outcome;
    const name = titleOf(invoice);
    const result = { id: 'invoice', name, value: invoice, markdown: invoiceMarkdown(invoice) };
    yield* artifactsOf(result, context.acceptedOutputModes);
    yield completed(`${name}: ${moneyOf(invoice.totals.payable ?? invoice.totals.taxInclusive, invoice)}`);
  }
}
