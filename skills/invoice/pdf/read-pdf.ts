import { UnreadableDocument } from '../document/unreadable-document.js';
import type { PdfLimits } from './pdf-limits.js';
import { loadPdfJs } from './pdfjs.js';
import type { PdfJsAttachment, PdfJsDocument, PdfJsItem, PdfJsPage } from './pdfjs.js';
import type { PdfAttachment, PdfOpened, PdfPage, Word } from './pdf-part.js';

const BROKEN = 'The PDF is damaged or is not a PDF; it could not be opened.';

/**
 * Opens a PDF and reads it page by page. It holds the thread that it runs in: only the reading thread may call it.
 * Yields the opened file, then each page. Throws `UnreadableDocument`.
 */
export async function* readPdf(bytes: Uint8Array, limits: PdfLimits): AsyncGenerator<PdfOpened | PdfPage, void, void> {
  const pdf = await refusing(() => opened(bytes));
  try {
    if (pdf.numPages > limits.maxPages) {
      throw new UnreadableDocument(
        `The PDF has ${String(pdf.numPages)} pages; at most ${String(limits.maxPages)} are read.`,
      );
    }
    const attachments = await refusing(async () => attachmentsOf(await pdf.getAttachments(), limits));
    yield { kind: 'opened', pages: pdf.numPages, attachments };
    for (let number = 1; number <= pdf.numPages; number += 1) {
      yield await refusing(async () => textOf(await pdf.getPage(number), number, limits));
    }
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function opened(bytes: Uint8Array): Promise<PdfJsDocument> {
  const pdfJs = await loadPdfJs();
  return pdfJs.getDocument({
    data: bytes,
    isEvalSupported: false,
    useSystemFonts: false,
    useWorkerFetch: false,
    disableFontFace: true,
    enableXfa: false,
    verbosity: 0,
  }).promise;
}

/** Every error of the parser means a faulty document. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new UnreadableDocument(
      isLocked ? 'The PDF is encrypted and opens only with a password. Send it without one.' : BROKEN,
      { cause: error },
    );
  }
}

function attachmentsOf(
  found: Readonly<Record<string, PdfJsAttachment>> | null,
  { maxAttachmentBytes }: PdfLimits,
): readonly PdfAttachment[] {
  return Object.values(found ?? {}).flatMap(({ filename, content }) =>
    content instanceof Uint8Array && content.length <= maxAttachmentBytes
      ? [{ name: String(filename), bytes: content }]
      : [],
  );
}

async function textOf(page: PdfJsPage, number: number, limits: PdfLimits): Promise<PdfPage> {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent();
  const words = items.slice(0, limits.maxItemsPerPage).flatMap((item) => placed(item, transform, limits.maxItemLength));
  page.cleanup();
  return { kind: 'page', number, width, height, words };
}

/** A piece of text in page coordinates: x to the right, y down to its baseline, in points. Text that is not level is left out. */
function placed(item: PdfJsItem, page: readonly number[], maxLength: number): readonly Word[] {
  const { str = '', transform = [], width = 0 } = item;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = combined(page, transform);
  if (str.trim() === '' || a <= 0 || Math.abs(b) > Math.abs(a) / 10) return [];
  return [{ text: str.slice(0, maxLength), x: e, y: f, width, size: Math.hypot(c, d) }];
}

/** The product of two transformations of the plane, as PDF writes them (ISO 32000-1, 8.3.3). */
function combined(outer: readonly number[], inner: readonly number[]): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = outer;
  const [p = 0, q = 0, r = 0, s = 0, t = 0, u = 0] = inner;
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
}
