/** Cost limits of reading one document. */
export interface PdfLimits {
  readonly maxPages: number;
  /** Pieces of text kept of a page; the rest is ignored. */
  readonly maxItemsPerPage: number;
  /** Longer pieces of text are cut: no searched value is that long. */
  readonly maxItemLength: number;
  /** Larger embedded files are passed over. */
  readonly maxAttachmentBytes: number;
  /** Reading longer is given up, in milliseconds. */
  readonly timeoutMs: number;
  /** Growth of the process, in bytes, at which reading is given up: a few kilobytes can unfold to gigabytes. */
  readonly maxMemoryBytes: number;
}

export const PDF_LIMITS: PdfLimits = {
  maxPages: 200,
  maxItemsPerPage: 5_000,
  maxItemLength: 500,
  maxAttachmentBytes: 20 * 1024 * 1024,
  timeoutMs: 30_000,
  maxMemoryBytes: 512 * 1024 * 1024,
};
