import {
  AnnotationMode,
  getDocument,
  type PDFDocumentProxy,
  type PDFPageProxy,
  PDFWorker,
  TextLayer,
  VerbosityLevel,
  version,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import { BASE } from '../base-path.js';
import { startWorker } from './worker-script.js';

/** Pages of one file that are shown. */
export const SHOWN_PAGES = 200;
/** Units of 1/72 inch: no page of PDF 1.7 may be larger (annex C.2 of ISO 32000-1). */
const LONGEST_SIDE = 14_400;
/** Of the canvas of one page: 24 MB. */
const MAX_PIXELS = 6_000_000;
/** CSS pixels; a longer page is drawn smaller. */
const TALLEST = 4_000;
/** Pixels of one image: A4 at 600 dpi has 35 million. A larger one is left out. */
const LARGEST_IMAGE = 40_000_000;
/** For opening a file, and for drawing a page. */
const PATIENCE_MS = 20_000;
/** Files of pdf.js that the build has copied beside its scripts. */
const DATA = `${BASE}/assets/pdfjs-${version}/`;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where a page is drawn. */
export interface Frame {
  readonly canvas: HTMLCanvasElement;
  readonly text: HTMLElement;
  /** CSS pixels that it may be wide. */
  readonly width: number;
}

/** A file or a page that is not shown; the message says why, behind "is not shown: ". */
export class UnshownPdf extends Error {}

/** A PDF in a thread of its own, until it is closed. Nothing in it is run: no script, no form, no link. */
export class PdfFile {
  private constructor(
    private readonly document: PDFDocumentProxy,
    private readonly thread: PdfThread,
    /** Of the first page, in units of 1/72 inch. */
    readonly shape: Size,
  ) {}

  /** @throws UnshownPdf where it cannot be read or must not be shown */
  static async open(bytes: Uint8Array): Promise<PdfFile> {
    const thread = new PdfThread();
    try {
      const document = await thread.soon(documentOf(bytes, thread.worker));
      if (await thread.soon(document.hasJSActions())) throw new UnshownPdf('it contains scripts');
      const shape = await thread.soon(document.getPage(1).then(shapeOf));
      return new PdfFile(document, thread, shape);
    } catch (error) {
      thread.end();
      throw unshown(error);
    }
  }

  get pages(): number {
    return this.document.numPages;
  }

  /** Rejects with an UnshownPdf when its thread has failed or did not answer in time: none of it can be drawn then. */
  get failure(): Promise<never> {
    return this.thread.failure;
  }

  /**
   * Draws a page with its text, which can be selected; resolves with its size in CSS pixels.
   * @throws UnshownPdf where it cannot be drawn; anything where `signal` was aborted
   */
  async draw(number: number, frame: Frame, signal: AbortSignal): Promise<Size> {
    try {
      const page = await this.thread.soon(this.document.getPage(number));
      const shape = await this.thread.soon(shapeOf(page));
      signal.throwIfAborted();
      return await this.thread.soon(drawn(page, shape, frame, signal));
    } catch (error) {
      throw unshown(error);
    }
  }

  /** Ends its thread, once its fonts are out of the page. */
  close(): void {
    this.thread
      .soon(this.document.loadingTask.destroy())
      .catch(() => undefined)
      .finally(() => {
        this.thread.end();
      });
  }
}

/** The thread that reads a PDF, and the patience with it. */
class PdfThread {
  readonly worker = startWorker();
  readonly failure: Promise<never>;
  private fail: (why: UnshownPdf) => void = () => undefined;

  constructor() {
    this.failure = new Promise<never>((_resolve, reject) => {
      this.fail = reject;
    });
    this.failure.catch(() => undefined);
    this.worker.addEventListener('error', () => {
      this.fail(new UnshownPdf('its reader has failed'));
    });
  }

  /** The result of a step. A thread that does not answer in time is ended, whatever it is busy with. */
  async soon<T>(step: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.fail(new UnshownPdf('it takes too long'));
      this.end();
    }, PATIENCE_MS);
    try {
      return await Promise.race([step, this.failure]);
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.worker.terminate();
  }
}

function documentOf(bytes: Uint8Array, port: Worker): Promise<PDFDocumentProxy> {
  return getDocument({
    data: bytes,
    worker: PDFWorker.create({ port, verbosity: VerbosityLevel.ERRORS }),
    verbosity: VerbosityLevel.ERRORS,
    enableXfa: false,
    // The policy of the page lets no WebAssembly run; scanned images are decoded by scripts.
    ...{ useWasm: false, wasmUrl: DATA, cMapUrl: DATA, standardFontDataUrl: DATA, useWorkerFetch: false },
    ...{ maxImageSize: LARGEST_IMAGE, canvasMaxAreaInBytes: 4 * LARGEST_IMAGE },
  }).promise;
}

/** The size of a page in units of 1/72 inch. */
async function shapeOf(page: PDFPageProxy): Promise<Size> {
  const { width, height } = page.getViewport({ scale: 1 });
  if (!(Math.max(width, height) <= LONGEST_SIDE && Math.min(width, height) >= 1)) {
    throw new UnshownPdf('a page must have between 1/72 and 200 inches a side');
  }
  // Its type leaves out the page without scripts.
  const scripts = (await page.getJSActions()) as object | null;
  if (scripts !== null) throw new UnshownPdf('it contains scripts');
  return { width, height };
}

async function drawn(page: PDFPageProxy, shape: Size, frame: Frame, signal: AbortSignal): Promise<Size> {
  const { canvas, text } = frame;
  const size = sizeIn(shape, frame.width);
  const scale = size.width / shape.width;
  const sharpness = Math.min(devicePixelRatio, Math.sqrt(MAX_PIXELS / (size.width * size.height)));
  const viewport = page.getViewport({ scale: scale * sharpness });
  canvas.width = Math.max(1, Math.floor(viewport.width));
  canvas.height = Math.max(1, Math.floor(viewport.height));
  text.style.setProperty('--total-scale-factor', String(scale));
  text.replaceChildren();
  const render = page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE });
  const words = new TextLayer({
    textContentSource: page.streamTextContent(),
    container: text,
    viewport: page.getViewport({ scale }),
  });
  const leave = (): void => {
    render.cancel();
    words.cancel();
  };
  signal.addEventListener('abort', leave);
  try {
    await Promise.all([render.promise, words.render()]);
    return size;
  } finally {
    signal.removeEventListener('abort', leave);
    page.cleanup();
  }
}

/** How large a page is shown: as wide as there is room, never larger than twice its size. */
export function sizeIn({ width, height }: Size, room: number): Size {
  const scale = Math.min(room / width, TALLEST / height, 2);
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

function unshown(error: unknown): UnshownPdf {
  if (error instanceof UnshownPdf) return error;
  if (error instanceof Error && error.name === 'PasswordException')
    return new UnshownPdf('it is protected by a password', { cause: error });
  return new UnshownPdf('it cannot be read', { cause: error });
}
