import { parentPort } from 'node:worker_threads';
import { readInvoice } from '../read-invoice.js';
import type { ReaderOrder, ReaderReply } from './reader-message.js';

// The thread that reads documents (see reader-thread.ts): its work is done on bytes of a stranger, and a thread can be
// ended at any moment.

// A PDF may name fonts, maps and files by address: nothing in here can fetch any.
for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
// A parser's output about such a file does not belong in our log.
for (const name of ['debug', 'error', 'info', 'log', 'warn']) Reflect.set(console, name, () => undefined);

parentPort?.on('message', (order: ReaderOrder) => {
  void answer(order);
});

async function answer({ document, pdf }: ReaderOrder): Promise<void> {
  const report = (text: string): void => say({ kind: 'progress', text });
  try {
    say({ kind: 'read', invoice: await readInvoice(document, { pdf, report }) });
  } catch (error) {
    const isRefusal = error instanceof Error && error.name === 'UnreadableDocument';
    say(isRefusal ? { kind: 'refused', reason: error.message } : { kind: 'broke', error });
  }
}

function say(reply: ReaderReply): void {
  parentPort?.postMessage(reply);
}
