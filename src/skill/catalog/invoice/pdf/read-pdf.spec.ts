import { describe, expect, it, jest } from '@jest/globals';
import { bombPdf, manyPages } from '../../../../../test/kit/invoice/hostile-pdfs.js';
import { writePdf } from '../../../../../test/kit/invoice/pdf-writer.js';
import { PDF_LIMITS } from './pdf-limits.js';
import type { PdfLimits } from './pdf-limits.js';
import type { PdfOpened, PdfPage } from './pdf-part.js';
import { readPdf } from './read-pdf.js';

// Programs that write PDFs load slowly, and threads start slowly, on a machine that has other work.
jest.setTimeout(60_000);

const NEVER = new AbortController().signal;

async function parts(
  bytes: Uint8Array,
  limits: Partial<PdfLimits> = {},
  signal: AbortSignal = NEVER,
): Promise<(PdfOpened | PdfPage)[]> {
  const all: (PdfOpened | PdfPage)[] = [];
  for await (const part of readPdf(bytes, { ...PDF_LIMITS, ...limits }, signal)) all.push(part);
  return all;
}

describe(readPdf.name, () => {
  it('gives embedded files, then the words of each page in points from its top', async () => {
    const pdf = await writePdf([[{ text: 'Hello €', x: 50, y: 100, size: 12 }], [{ text: 'Two', x: 10, y: 20 }]], {
      attachments: [{ name: 'a.xml', bytes: new TextEncoder().encode('<a/>') }],
    });
    const [opened, first, second] = await parts(pdf);
    expect(opened).toMatchObject({ kind: 'opened', pages: 2, attachments: [{ name: 'a.xml' }] });
    expect(first).toMatchObject({ kind: 'page', number: 1, words: [{ text: 'Hello €', x: 50, y: 100, size: 12 }] });
    expect(second).toMatchObject({ kind: 'page', number: 2 });
  });

  it('refuses an encrypted PDF by that reason', async () => {
    const pdf = await writePdf([[{ text: 'secret', x: 50, y: 50 }]], { password: 'x' });
    await expect(parts(pdf)).rejects.toThrow('opens only with a password');
  });

  it('refuses what only looks like a PDF', async () => {
    await expect(parts(new TextEncoder().encode('%PDF-1.7\nnothing more'))).rejects.toThrow('damaged');
    await expect(parts(new Uint8Array(0))).rejects.toThrow('damaged');
    await expect(parts(Buffer.alloc(5000, '%PDF-1.7 1 0 obj << >> stream '))).rejects.toThrow('damaged');
  });

  it('ends, with words or with a reason, on a PDF that is cut at any place', async () => {
    const pdf = await writePdf([[{ text: 'Hello', x: 50, y: 50 }]]);
    for (const part of [0.2, 0.5, 0.9]) {
      const outcome = await parts(pdf.slice(0, Math.floor(pdf.length * part))).catch((error: unknown) => error);
      expect(Array.isArray(outcome) || (outcome as Error).name === 'UnreadableDocument').toBe(true);
    }
  });

  it('refuses more pages than are read', async () => {
    await expect(parts(await manyPages(4), { maxPages: 3 })).rejects.toThrow('4 pages; at most 3');
  });

  it('gives up a decompression bomb before it takes the memory', async () => {
    const bomb = await bombPdf();
    expect(bomb.length).toBeLessThan(100_000);
    let peak = 0;
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss() - before);
    }, 5);
    await expect(parts(bomb, { maxMemoryBytes: 200 * 2 ** 20 })).rejects.toThrow('too much memory');
    clearInterval(watch);
    expect(peak).toBeLessThan(700 * 2 ** 20);
  });

  it('gives up when the time is over', async () => {
    await expect(parts(await bombPdf(), { timeoutMs: 300, maxMemoryBytes: 2 ** 40 })).rejects.toThrow(
      'within 0 seconds',
    );
  });

  it('stops when the signal aborts, with its reason', async () => {
    const controller = new AbortController();
    const reading = readPdf(await manyPages(50), PDF_LIMITS, controller.signal);
    await reading.next();
    controller.abort(new Error('canceled'));
    const rest = async (): Promise<void> => {
      while ((await reading.next()).done !== true);
    };
    await expect(rest()).rejects.toThrow('canceled');
    await expect(parts(await manyPages(1), {}, controller.signal)).rejects.toThrow('canceled');
  });

  it('reads one at a time and the next one after a failure', async () => {
    const good = await writePdf([[{ text: 'fine', x: 50, y: 50 }]]);
    const bad = new TextEncoder().encode('%PDF-1.7');
    const [first, second, third] = await Promise.allSettled([parts(good), parts(bad), parts(good)]);
    expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
