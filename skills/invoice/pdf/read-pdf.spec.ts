import { describe, expect, it, jest } from '@jest/globals';
import { manyPages } from '../../../test/kit/invoice/hostile-pdfs.js';
import { writePdf } from '../../../test/kit/invoice/pdf-writer.js';
import { PDF_LIMITS } from './pdf-limits.js';
import type { PdfLimits } from './pdf-limits.js';
import type { PdfOpened, PdfPage } from './pdf-part.js';
import { readPdf } from './read-pdf.js';

// Programs that write PDFs load slowly on a machine that has other work.
jest.setTimeout(60_000);

async function parts(bytes: Uint8Array, limits: Partial<PdfLimits> = {}): Promise<(PdfOpened | PdfPage)[]> {
  const all: (PdfOpened | PdfPage)[] = [];
  for await (const part of readPdf(bytes, { ...PDF_LIMITS, ...limits })) all.push(part);
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

  it('refuses a file that only begins like a PDF', async () => {
    await expect(parts(new TextEncoder().encode('%PDF-1.7\nnothing more'))).rejects.toThrow('damaged');
    await expect(parts(new Uint8Array(0))).rejects.toThrow('damaged');
    await expect(parts(Buffer.alloc(5000, '%PDF-1.7 1 0 obj << >> stream '))).rejects.toThrow('damaged');
  });

  it('ends, with words or with a reason, on a PDF that is cut at any position', async () => {
    const pdf = await writePdf([[{ text: 'Hello', x: 50, y: 50 }]]);
    for (const part of [0.2, 0.5, 0.9]) {
      const outcome = await parts(pdf.slice(0, Math.floor(pdf.length * part))).catch((error: unknown) => error);
      expect(Array.isArray(outcome) || (outcome as Error).name === 'UnreadableDocument').toBe(true);
    }
  });

  it('refuses more pages than are read', async () => {
    await expect(parts(await manyPages(4), { maxPages: 3 })).rejects.toThrow('4 pages; at most 3');
  });
});
