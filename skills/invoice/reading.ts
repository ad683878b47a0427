import { working } from '@parley/sdk';
import type { SkillEvent } from '@parley/sdk';
import type { SkillContext } from '@parley/sdk';
import { collectDocument } from './document/collect-document.js';
import type { FileFetcher } from '@parley/sdk';
import { UnreadableDocument } from './document/unreadable-document.js';
import type { InvoiceOptions } from './invoice-options.js';
import type { Invoice } from './invoice.js';
import { readInThread } from './reader/read-in-thread.js';
import type { Report } from './reader/reader-thread.js';
import { rememberedDuplicate } from './rule/duplicate.js';
import type { Finding } from './rule/rule.js';
import { validate } from './rule/validate.js';
import { whileWorking } from './while-working.js';

/** An invoice, or why there is none. Both are results: a re-run after a crash must not find something else. */
export type Outcome = { readonly invoice: Invoice } | { readonly refusal: string };

export interface ReadingTools {
  readonly options: InvoiceOptions;
  readonly fetcher: FileFetcher | undefined;
}

/** Reads the invoice that was sent, once per turn, and says how far it is. */
export async function* readSentInvoice(
  context: SkillContext,
  tools: ReadingTools,
): AsyncGenerator<SkillEvent, Outcome, void> {
  yield working('Reading the invoice');
  const reports = whileWorking((report) => context.step('read-invoice', () => outcomeOf(context, tools, report)));
  for (;;) {
    const next = await reports.next();
    if (next.done === true) return next.value;
    yield working(next.value);
  }
}

/** Findings of the invoice, also in the light of its context. Once per turn. */
export async function judged(invoice: Invoice, context: SkillContext): Promise<readonly Finding[]> {
  const duplicates = await rememberedDuplicate(invoice, context);
  return [...duplicates, ...(await context.step('validate-invoice', async () => validate(invoice)))];
}

async function outcomeOf(context: SkillContext, { options, fetcher }: ReadingTools, report: Report): Promise<Outcome> {
  const began = performance.now();
  try {
    const document = await collectDocument(context, { maxFileBytes: options.maxFileBytes, fetcher });
    const invoice = await readInThread(document, { pdf: options.pdf, signal: context.signal, report });
    const ms = Math.round(performance.now() - began);
    context.log.info('invoice.read', { format: invoice.format, lines: invoice.lines.length, ms });
    return { invoice };
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    context.log.info('invoice.refused', { ms: Math.round(performance.now() - began) });
    return { refusal: error.message };
  }
}
