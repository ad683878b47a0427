import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';

/** A text on a page: points from the left edge and from the top, as one would measure on paper. */
export interface Ink {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  /** `right`: `x` is where the text ends. */
  readonly align?: 'right';
  readonly bold?: boolean;
}

export interface PdfOptions {
  readonly attachments?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly password?: string;
}

/** Makes an A4 PDF of the pages' texts. */
export async function writePdf(pages: readonly (readonly Ink[])[], options: PdfOptions = {}): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const regular = await document.embedFont(StandardFonts.Helvetica);
  const strong = await document.embedFont(StandardFonts.HelveticaBold);
  for (const inks of pages) {
    const page = document.addPage([595, 842]);
    for (const { text, x, y, size = 10, align, bold = false } of inks) {
      const font = bold ? strong : regular;
      const left = align === 'right' ? x - font.widthOfTextAtSize(text, size) : x;
      page.drawText(text, { x: left, y: 842 - y, size, font });
    }
  }
  for (const { name, bytes } of options.attachments ?? []) {
    await document.attach(bytes, name, { mimeType: 'text/xml' });
  }
  if (options.password !== undefined) document.encrypt({ userPassword: options.password, ownerPassword: 'owner' });
  return document.save({ useObjectStreams: false });
}

/** A row of texts at given places, one per column. */
export function row(y: number, columns: readonly (readonly [number, string, 'right'?])[], size = 10): readonly Ink[] {
  return columns
    .filter(([, text]) => text !== '')
    .map(([x, text, align]) => ({ text, x, y, size, ...(align === undefined ? {} : { align }) }));
}

/** Texts under each other. */
export function block(x: number, y: number, texts: readonly string[], size = 10): readonly Ink[] {
  return texts.map((text, at) => ({ text, x, y: y + at * size * 1.3, size }));
}
