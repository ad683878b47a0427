// The thread that reads documents (see reader-thread.ts): its work is done on bytes of a stranger, and a thread can be
// ended at any moment. Plain JavaScript because Node loads it as it is, from the sources and from the build alike.
import { parentPort } from 'node:worker_threads';

// A PDF may name fonts, maps and files by address: nothing in here can fetch any.
delete globalThis.fetch;
delete globalThis.WebSocket;
delete globalThis.EventSource;
// What a parser prints about such a file is no line of our log.
for (const print of ['debug', 'error', 'info', 'log', 'warn']) console[print] = () => undefined;

parentPort.on('message', (order) => {
  void answer(order);
});

/** @param {import('./reader-message.js').ReaderOrder} order */
async function answer({ document, pdf }) {
  const report = (text) => parentPort.postMessage({ kind: 'progress', text });
  try {
    const { readInvoice } = await import('../read-invoice.js');
    parentPort.postMessage({ kind: 'read', invoice: await readInvoice(document, { pdf, report }) });
  } catch (error) {
    parentPort.postMessage(
      error?.name === 'UnreadableDocument' ? { kind: 'refused', reason: error.message } : { kind: 'broke', error },
    );
  }
}
