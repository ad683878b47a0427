/** A piece of text and its position on a page, in points: x to the right from the left edge, y down to its baseline. */
export interface Word {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Height of the font. */
  readonly size: number;
}

export interface PdfPage {
  readonly kind: 'page';
  /** From 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly words: readonly Word[];
}

export interface PdfAttachment {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface PdfOpened {
  readonly kind: 'opened';
  readonly pages: number;
  readonly attachments: readonly PdfAttachment[];
}
