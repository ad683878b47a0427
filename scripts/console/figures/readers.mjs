// A thread that reads feeds of consoles: who measures callers beside them must not wait for what readers do.
import { parentPort, workerData } from 'node:worker_threads';
import { Agent, fetch } from 'undici';

const { url, readers } = workerData;
const dispatcher = new Agent({ connections: readers.length, bodyTimeout: 0 });
for (const headers of readers) {
  const response = await fetch(url, { headers, dispatcher });
  if (response.status !== 200) throw new Error(`A feed was refused: ${await response.text()}`);
  void drain(response.body).catch(() => undefined);
}
parentPort.postMessage('open');

async function drain(body) {
  const reader = body.getReader();
  while (!(await reader.read()).done);
}
