import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { score } from '../../test/kit/invoice/measure.js';
import type { Score } from '../../test/kit/invoice/measure.js';
import { SAMPLES } from '../../test/kit/invoice/samples.js';
import type { Sample } from '../../test/kit/invoice/samples.js';
import { sniff } from './document/sniff.js';
import { PDF_LIMITS } from './pdf/pdf-limits.js';
import { readInThread } from './reader/read-in-thread.js';

// Programs that write PDFs load slowly, and threads start slowly, on a machine that has other work.
jest.setTimeout(60_000);

const PAGE = new URL('../../docs/invoices.md', import.meta.url);
const BEGIN = '<!-- samples: begin -->';
const END = '<!-- samples: end -->';

interface Measured extends Score {
  readonly sample: Sample;
  readonly format: string;
  readonly number: string;
  readonly payable: string;
}

async function measure(sample: Sample): Promise<Measured> {
  const document = sniff(await sample.load(), sample.name);
  const invoice = await readInThread(document, {
    pdf: PDF_LIMITS,
    signal: new AbortController().signal,
    report: () => undefined,
  });
  const { number, totals, currency } = invoice;
  const payable = totals.payable ?? totals.taxInclusive;
  return {
    ...score(invoice, sample.expected),
    sample,
    format: invoice.format,
    number: number?.value ?? '',
    payable: `${payable?.value ?? ''} ${currency?.value ?? ''}`.trim(),
  };
}

function tableOf(all: readonly Measured[]): string {
  const mark = (isRight: boolean): string => (isRight ? 'yes' : 'no');
  const rows = all.map(({ sample, format, number, payable, ids, totals, others }) =>
    [sample.name, sample.about, format, number, payable, mark(ids), mark(totals), mark(others)].join(' | '),
  );
  const count = (kind: string, isRight: (one: Measured) => boolean): string => {
    const ours = all.filter(({ sample }) => sample.kind === kind);
    return `${String(ours.filter(isRight).length)} of ${String(ours.length)}`;
  };
  const both = ({ ids, totals }: Measured): boolean => ids && totals;
  return [
    '| sample | what it is | read as | number | to be paid | ids right | totals right | rest right |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
    `Ids and totals right: ${count('electronic', both)} electronic, ${count('plain', both)} plain. ` +
      `Names, dates, currency and number of lines too: ${count('electronic', ({ others }) => others)} electronic, ${count('plain', ({ others }) => others)} plain.`,
  ].join('\n');
}

/** The formatter pads the cells of a table; their text is the same. */
function unpadded(markdown: string): string {
  return markdown.replace(/ {2,}/gu, ' ').replace(/-{3,}/gu, '---');
}

describe(readInThread.name, () => {
  const measured: Measured[] = [];

  it.each(SAMPLES.map((sample) => [sample.name, sample] as const))('reads %s', async (_, sample) => {
    const result = await measure(sample);
    measured.push(result);
    expect(result.wrong).toEqual([]);
  });

  it('reads as many as docs/invoices.md says', () => {
    const page = readFileSync(PAGE, 'utf8');
    const before = page.slice(0, page.indexOf(BEGIN) + BEGIN.length);
    const after = page.slice(page.indexOf(END));
    const now = `${before}\n\n${tableOf(measured)}\n\n${after}`;
    if (process.env.UPDATE_INVOICE_TABLE === '1') writeFileSync(PAGE, now);
    expect(unpadded(readFileSync(PAGE, 'utf8'))).toBe(unpadded(now));
  });
});
