import { describe, expect, it } from '@jest/globals';
import type { PdfPage, Word } from '../pdf/pdf-part.js';
import { readText } from './read-text.js';

function page(number: number, texts: readonly string[]): PdfPage {
  const words = texts.map((text, at): Word => ({ text, x: 50, y: 20 + at * 14, width: 100, size: 10 }));
  return { kind: 'page', number, width: 595, height: 842, words };
}

/** Milliseconds of processor time that reading takes, whatever its result. */
function cpuMs(pages: readonly PdfPage[]): number {
  const began = process.cpuUsage();
  try {
    readText(pages);
  } catch (error) {
    expect((error as Error).name).toBe('UnreadableDocument');
  }
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

describe(`time of ${readText.name}`, () => {
  it.each(['1'.repeat(500), '1,234 '.repeat(80), 'Total '.repeat(80), 'DE1 '.repeat(120), 'GB29 NWBK '.repeat(50)])(
    'is not held up by %.12s…',
    (text) => {
      expect(
        cpuMs([
          page(
            1,
            Array.from({ length: 300 }, () => text),
          ),
        ]),
      ).toBeLessThan(5000);
    },
  );

  // Processor time, which a busy machine does not change. The proof of sums once tried each net with each tax and each gross: 2.4 s for 450 words.
  it.each([
    ['sums that never fit', 1, ['Net total: 1.13', 'VAT: 7.77', 'Total: 900.41', 'Invoice No: A-1']],
    ['bare amounts, one a line', 1, ['1,234.56']],
    ['amounts under amounts', 40, ['1,234.56']],
    ['labels under labels', 40, ['Total', 'VAT', '12.00']],
    ['a row of labels without an end', 5_000, ['Total', '12.00']],
    [
      'amounts without an end',
      1,
      ['1 111 111 111 111 111 111 111 111 111 111 111 111 111 111 111 111 111 111 111 111 111 1x'],
    ],
    [
      'items without an end',
      4,
      ['Description', 'Quantity', 'Price', 'Amount', 'Chair', '1', '2.00', '2.00', 'more text'],
    ],
  ] as const)('takes time in proportion to the words: %s', (_, inRow, texts) => {
    const of = (words: number): readonly PdfPage[] =>
      Array.from({ length: words / 5_000 }, (_page, at) => grid(at + 1, inRow, texts));
    cpuMs(of(5_000));
    // Linear work takes 8 times as long, quadratic 64 times.
    expect(cpuMs(of(40_000))).toBeLessThan(24 * Math.max(cpuMs(of(5_000)), 40));
  });
});

/** Five thousand words of a page in rows. */
function grid(number: number, inRow: number, texts: readonly string[]): PdfPage {
  const words = Array.from({ length: 5_000 }, (_, at): Word => {
    const [x, y] = [(at % inRow) * 30, Math.floor(at / inRow) * 12];
    return { text: texts[at % texts.length] ?? '', x, y, width: 12, size: 10 };
  });
  return { kind: 'page', number, width: 595, height: 842, words };
}
