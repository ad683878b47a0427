// A thread that reads feeds of consoles, as cheaply as it can: it shares the processors with the service and its callers.
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, readers } = workerData;
const agent = new Agent({ maxSockets: readers.length });
for (const headers of readers) {
  const [response] = await once(get(url, { headers, agent }), 'response');
  if (response.statusCode !== 200) throw new Error(`A feed was refused with ${response.statusCode}`);
  response.resume();
}
parentPort.postMessage('open');
