/** The used part of PDF.js. The declarations of `unpdf/pdfjs` cannot be resolved by a project of ES modules. */
export interface PdfJs {
  getDocument(source: Readonly<Record<string, unknown>>): { readonly promise: Promise<PdfJsDocument> };
}

export interface PdfJsDocument {
  readonly numPages: number;
  readonly loadingTask: { destroy(): Promise<void> };
  getAttachments(): Promise<Readonly<Record<string, PdfJsAttachment>> | null>;
  getPage(number: number): Promise<PdfJsPage>;
}

export interface PdfJsAttachment {
  readonly filename?: unknown;
  readonly content?: unknown;
}

export interface PdfJsPage {
  getViewport(options: { readonly scale: number }): PdfJsViewport;
  getTextContent(): Promise<{ readonly items: readonly PdfJsItem[] }>;
  cleanup(): void;
}

export interface PdfJsViewport {
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
}

/** A piece of text; items without `str` mark content and have none. */
export interface PdfJsItem {
  readonly str?: string;
  readonly transform?: readonly number[];
  readonly width?: number;
}

/** Loads PDF.js: about 70 ms, once in a thread. */
export async function loadPdfJs(): Promise<PdfJs> {
  return (await import('unpdf/pdfjs')) as unknown as PdfJs;
}
