// Works for a number of ms and reports its progress.
import { parentPort, workerData } from 'node:worker_threads';

const end = performance.now() + workerData.ms;
let [turns, sum] = [0, 1];
while (performance.now() < end) {
  for (let at = 0; at < 1000; at += 1) sum = (sum * 31 + at) | 0;
  turns += 1;
}
parentPort.postMessage({ turns, sum });
