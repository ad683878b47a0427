import { describe, expect, it } from '@jest/globals';
import type { PdfPage, Word } from '../pdf/pdf-part.js';
import { readText } from './read-text.js';

function page(number: number, texts: readonly string[]): PdfPage {
  const words = texts.map((text, at): Word => ({ text, x: 50, y: 20 + at * 14, width: 100, size: 10 }));
  return { kind: 'page', number, width: 595, height: 842, words };
}

describe(readText.name, () => {
  it('reads a number, a date and a total, and remarks on missing values', () => {
    const invoice = readText([page(1, ['Acme Ltd', 'Invoice No: A-1', 'Date: 5 March 2026', 'Total: 12.00'])]);
    expect(invoice).toMatchObject({
      format: 'pdf-text',
      number: { value: 'A-1' },
      issueDate: { value: '2026-03-05' },
      totals: { payable: { value: '12.00', confidence: 0.7 } },
      remarks: [
        'The currency was not found.',
        'The sums could not be checked against each other: the total without VAT, the VAT not found.',
      ],
    });
  });

  it('is half as sure of a date that could be read both ways', () => {
    const dated = (date: string): unknown =>
      readText([page(1, ['Invoice No: A-1', `Date: ${date}`, 'Total: $12.00'])]).issueDate;
    expect(dated('03/04/2026')).toMatchObject({ value: '2026-03-04', confidence: 0.6 });
    expect(dated('03/14/2026')).toMatchObject({ value: '2026-03-14', confidence: 0.9 });
  });

  it('knows a credit note by its title', () => {
    const invoice = readText([page(1, ['Credit Note', 'Credit note no: C-1', 'Date: 5 March 2026', 'Total: 12.00'])]);
    expect(invoice).toMatchObject({ kind: 'credit-note', number: { value: 'C-1' } });
  });

  it('refuses fonts that do not say which letters they draw', () => {
    const glyphs = Array.from({ length: 40 }, () => '\u{e001}\u{e002}\u{e003}');
    expect(() => readText([page(1, glyphs)])).toThrow('no text that can be read');
  });

  it('refuses a book', () => {
    const pages = Array.from({ length: 101 }, (_, at) =>
      page(
        at + 1,
        Array.from({ length: 1000 }, () => 'word'),
      ),
    );
    expect(() => readText(pages)).toThrow('far more text than an invoice');
  });

  it('finds sums that prove each other among hundreds that do not, when they are the last', () => {
    const noise = Array.from({ length: 300 }, (_, at) => [
      `Subtotal: ${String(at)}.13`,
      'VAT: 0.77',
      `Total: ${String(at)}.99`,
    ]);
    const texts = [
      'Invoice No: A-1',
      'Date: 5 March 2026',
      ...noise.flat(),
      'Net total: 100.00',
      'VAT: 19.01',
      'Total: 119.00',
    ];
    expect(readText([page(1, texts)]).totals).toMatchObject({
      taxExclusive: { value: '100.00' },
      tax: { value: '19.01' },
      taxInclusive: { value: '119.00', confidence: 0.97 },
    });
  });
});
