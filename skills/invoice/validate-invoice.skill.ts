import { Inject, Optional } from '@nestjs/common';
import { completed, rejected, working } from '@parley/sdk';
import type { SkillEvent } from '@parley/sdk';
import { Skill } from '@parley/sdk';
import type { SkillContext, SkillHandler } from '@parley/sdk';
import { FileFetcher } from '@parley/sdk';
import { ValidationReportDto } from './dto/validation-report.dto.js';
import { DEFAULT_INVOICE_OPTIONS, InvoiceOptions } from './invoice-options.js';
import type { DataOf } from './invoice.js';
import { titleOf } from './markdown/invoice-markdown.js';
import { reportMarkdown, summaryOf } from './markdown/report-markdown.js';
import { INPUT_MODES, OUTPUT_MODES, artifactsOf } from './output-modes.js';
import { judged, readSentInvoice } from './reading.js';
import { RULES } from './rule/validate.js';

/** Checks one invoice against EN 16931 and against the invoices that its context has seen. */
@Skill({
  id: 'validate_invoice',
  name: 'Validate invoice',
  description:
    "Checks an invoice's required fields and arithmetic by the rules of EN 16931, and whether the same seller's invoice " +
    'of that number was sent before in this conversation.',
  tags: ['finance', 'validation', 'invoice'],
  examples: ['Is this invoice right?', 'Do the amounts of this invoice add up?'],
  inputModes: INPUT_MODES,
  outputModes: OUTPUT_MODES,
  concurrency: 1,
  output: ValidationReportDto,
})
export class ValidateInvoiceSkill implements SkillHandler {
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
    yield working(`Checking ${titleOf(invoice)}`);
    const findings = await judged(invoice, context);
    const valid = findings.every(({ severity }) => severity !== 'error');
    const report: DataOf<ValidationReportDto> = { valid, rules: RULES.length + 1, findings, invoice };
    const name = `Validation of ${titleOf(invoice)}`;
    const result = { id: 'validation', name, value: report, markdown: reportMarkdown(report) };
    yield* artifactsOf(result, context.acceptedOutputModes);
    yield completed(`${titleOf(invoice)} is ${valid ? 'valid' : 'not valid'}: ${summaryOf(findings)}.`);
  }
}
