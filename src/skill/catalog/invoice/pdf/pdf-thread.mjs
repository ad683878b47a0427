// Runs in a thread of its own (see read-pdf.ts): parsing a PDF is CPU work on bytes of a stranger, and a thread can be
// ended at any moment. Plain JavaScript because Node loads it as it is, from the sources and from the build alike.
import { parentPort, workerData } from 'node:worker_threads';

/** @type {{ bytes: Uint8Array, maxPages: number, maxItemsPerPage: number, maxItemLength: number, maxAttachmentBytes: number }} */
const { bytes, maxPages, maxItemsPerPage, maxItemLength, maxAttachmentBytes } = workerData;

// A PDF may name fonts, maps and files by address: nothing in here can fetch any.
delete globalThis.fetch;
delete globalThis.WebSocket;
delete globalThis.EventSource;

try {
  await read();
} catch (error) {
  parentPort.postMessage({ kind: 'failed', reason: error?.name === 'PasswordException' ? 'password' : 'broken' });
}

async function read() {
  const { getDocument } = await import('unpdf/pdfjs');
  const loading = getDocument({
    data: bytes,
    isEvalSupported: false,
    useSystemFonts: false,
    useWorkerFetch: false,
    disableFontFace: true,
    enableXfa: false,
    verbosity: 0,
  });
  const pdf = await loading.promise;
  if (pdf.numPages > maxPages) {
    parentPort.postMessage({ kind: 'failed', reason: 'pages', pages: pdf.numPages });
    return;
  }
  const attachments = attachmentsOf(await pdf.getAttachments());
  parentPort.postMessage({ kind: 'opened', pages: pdf.numPages, attachments });
  for (let number = 1; number <= pdf.numPages; number += 1) {
    parentPort.postMessage(await textOf(await pdf.getPage(number), number));
  }
  parentPort.postMessage({ kind: 'done' });
}

function attachmentsOf(found) {
  return Object.values(found ?? {})
    .filter(({ content }) => content instanceof Uint8Array && content.length <= maxAttachmentBytes)
    .map(({ filename, content }) => ({ name: String(filename), bytes: content }));
}

async function textOf(page, number) {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent();
  const words = items
    .slice(0, maxItemsPerPage)
    .map((item) => placed(item, transform))
    .filter((word) => word !== undefined);
  page.cleanup();
  return { kind: 'page', number, width, height, words };
}

/** A piece of text in page coordinates: x to the right, y down to its baseline, in points. Text that is not level is left out. */
function placed({ str, transform: inner, width }, outer) {
  if (typeof str !== 'string' || str.trim() === '') return undefined;
  const a = outer[0] * inner[0] + outer[2] * inner[1];
  const b = outer[1] * inner[0] + outer[3] * inner[1];
  const size = Math.hypot(outer[0] * inner[2] + outer[2] * inner[3], outer[1] * inner[2] + outer[3] * inner[3]);
  if (a <= 0 || Math.abs(b) > Math.abs(a) / 10) return undefined;
  const x = outer[0] * inner[4] + outer[2] * inner[5] + outer[4];
  const y = outer[1] * inner[4] + outer[3] * inner[5] + outer[5];
  return { text: str.slice(0, maxItemLength), x, y, width, size };
}
