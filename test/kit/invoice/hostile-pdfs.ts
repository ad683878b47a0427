import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { writePdf } from './pdf-writer.js';

/** A PDF of a few kilobytes whose page unfolds to gigabytes: a stream compressed twice, used several times. */
export async function bombPdf(): Promise<Uint8Array> {
  const once = deflateSync(Buffer.alloc(2 ** 28, 0x20), { level: 9 });
  const document = await PDFDocument.create();
  const page = document.addPage();
  const filter = document.context.obj([PDFName.of('FlateDecode'), PDFName.of('FlateDecode')]);
  const stream = document.context.register(document.context.stream(deflateSync(once), { Filter: filter }));
  page.node.set(PDFName.of('Contents'), document.context.obj(Array.from({ length: 16 }, () => stream)));
  return document.save({ useObjectStreams: false });
}

/** A page with a picture and no text, as a scanner makes it. */
export async function scannedPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const picture = await document.embedPng(Buffer.from(pixel, 'base64'));
  document.addPage([595, 842]).drawImage(picture, { x: 0, y: 0, width: 595, height: 842 });
  return document.save();
}

/** A PDF of many pages with a word each. */
export function manyPages(count: number): Promise<Uint8Array> {
  return writePdf(Array.from({ length: count }, (_, at) => [{ text: `Page ${String(at + 1)}`, x: 50, y: 50 }]));
}
