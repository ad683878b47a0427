import { describe, expect, it, jest } from '@jest/globals';
import { bombPdf, manyPages } from '../../../test/kit/invoice/hostile-pdfs.js';
import { loopDelayOf } from '../../../test/kit/hostile/loop-delay.js';
import { writePdf } from '../../../test/kit/invoice/pdf-writer.js';
import type { InvoiceDocument } from '../document/invoice-document.js';
import type { Invoice } from '../invoice.js';
import { PDF_LIMITS } from '../pdf/pdf-limits.js';
import type { PdfLimits } from '../pdf/pdf-limits.js';
import { readInThread } from './read-in-thread.js';

// Programs that write PDFs load slowly, and threads start slowly, on a machine that has other work.
jest.setTimeout(60_000);

const NEVER = new AbortController().signal;
const GOOD: InvoiceDocument = {
  kind: 'value',
  name: 'The data part',
  value: { invoiceNumber: '7', vendor: 'Acme', total: '12.00' },
};

interface Reading {
  readonly limits?: Partial<PdfLimits>;
  readonly signal?: AbortSignal;
  readonly report?: (text: string) => void;
}

function read(document: InvoiceDocument, { limits, signal = NEVER, report = () => undefined }: Reading = {}) {
  return readInThread(document, { pdf: { ...PDF_LIMITS, ...limits }, signal, report });
}

function pdf(bytes: Uint8Array): InvoiceDocument {
  return { kind: 'pdf', name: 'The file', bytes };
}

function jsonOfLines(count: number): string {
  const items = Array.from({ length: count }, () => ({ name: 'x'.repeat(2_000), amount: '1' }));
  return JSON.stringify({ number: '1', vendor: 'a', items, total: 1 });
}

/** Keeps the event loop from hearing anything for a while. */
function hold(ms: number): void {
  const end = Date.now() + ms;
  while (Date.now() < end);
}

describe(readInThread.name, () => {
  it('reads an invoice and reports each page', async () => {
    const texts = ['Acme Ltd', 'Invoice No: A-1', 'Date: 5 March 2026', 'Total: EUR 12.00'];
    const bytes = await writePdf([texts.map((text, at) => ({ text, x: 50, y: 50 + at * 20 }))]);
    const report = jest.fn<(text: string) => void>();
    expect(await read(pdf(bytes), { report })).toMatchObject({ format: 'pdf-text', number: { value: 'A-1' } });
    expect(report.mock.calls).toEqual([['Read page 1 of 1']]);
  });

  it('gives the reason for a refusal also when the loop is too busy to hear it in time', async () => {
    const bytes = await writePdf([[{ text: 'secret', x: 50, y: 50 }]], { password: 'x' });
    for (let round = 0; round < 5; round++) {
      const reading = read(pdf(bytes));
      const refused = expect(reading).rejects.toThrow('opens only with a password');
      await new Promise((resolve) => setImmediate(resolve));
      hold(400);
      await refused;
    }
  });

  it('gives up a decompression bomb before it takes the memory, and holds the loop no longer for it', async () => {
    const bomb = await bombPdf();
    expect(bomb.length).toBeLessThan(100_000);
    let peak = 0;
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss() - before);
    }, 5);
    await expect(read(pdf(bomb), { limits: { maxMemoryBytes: 200 * 2 ** 20 } })).rejects.toThrow('too much memory');
    clearInterval(watch);
    expect(peak).toBeLessThan(700 * 2 ** 20);
  });

  it('gives up when the time has expired', async () => {
    const reading = read(pdf(await bombPdf()), { limits: { timeoutMs: 300, maxMemoryBytes: 2 ** 40 } });
    await expect(reading).rejects.toThrow('within 0 seconds');
  });

  it('stops when the signal aborts, with its reason', async () => {
    const controller = new AbortController();
    const reading = read(pdf(await manyPages(200)), {
      signal: controller.signal,
      report: () => {
        controller.abort(new Error('canceled'));
      },
    });
    await expect(reading).rejects.toThrow('canceled');
    await expect(read(GOOD, { signal: controller.signal })).rejects.toThrow('canceled');
  });

  it('reads one at a time and the next one after a failure', async () => {
    const outcomes = await Promise.allSettled([
      read(GOOD),
      read(pdf(new TextEncoder().encode('%PDF-1.7'))),
      read(pdf(await bombPdf()), { limits: { timeoutMs: 300 } }),
      read(GOOD),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  });

  it('ends the waiting for its turn when it is canceled, and the others keep theirs', async () => {
    const slow = read(pdf(await bombPdf()), { limits: { timeoutMs: 3_000, maxMemoryBytes: 2 ** 40 } });
    const given = expect(slow).rejects.toThrow('within 3 seconds');
    const controller = new AbortController();
    const waiting = read(GOOD, { signal: controller.signal });
    const next: Promise<Invoice> = read(GOOD);
    const order: string[] = [];
    const heard = [
      waiting.catch((error: unknown) => order.push(String(error))),
      given.then(() => order.push('slow')),
      next.then(() => order.push('next')),
    ];
    controller.abort(new Error('canceled'));
    await Promise.all(heard);
    expect(order).toEqual(['Error: canceled', 'slow', 'next']);
  });

  it.each([
    ['of 50 MB of XML', 'xml', `<Invoice>${'<a>'.repeat(60)}${'x'.repeat(19 * 2 ** 20)}`],
    ['of XML without an end', 'xml', '<a>'.repeat(1_000_000)],
    ['of half a million elements', 'xml', `<Invoice>${'<a/>'.repeat(490_000)}</Invoice>`],
    ['of nested JSON', 'json', '['.repeat(5_000_000)],
    ['of a million JSON members', 'json', `{${Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":1`).join()}}`],
    ['of twenty thousand JSON lines', 'json', `{"items":[${'{},'.repeat(20_000)}{}],"number":1,"vendor":"a"}`],
    ['that is no JSON', 'json', '{"number":'],
    ['with a prototype', 'json', '{"__proto__":{"number":"1"}}'],
    ['of two thousand large JSON lines', 'json', jsonOfLines(2_000)],
  ] as const)('refuses a document %s with a text, and holds the loop for a copy at most', async (_, kind, text) => {
    const bytes = new TextEncoder().encode(text);
    await read(GOOD);
    const { result, longestMs } = await loopDelayOf(() =>
      read({ kind, name: 'The file', bytes }).catch((error: unknown) => error),
    );
    expect(result).toMatchObject({ name: 'UnreadableDocument', message: expect.stringMatching(/^The .{10,}/u) });
    // Processor time counts the thread's as well, so only the copy of a message can be measured: it is made at once.
    expect(longestMs).toBeLessThan(1_000);
  });
});
