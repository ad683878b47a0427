// Reads one task again and again, in a thread whose loop has nothing else to do: the attacks have theirs.
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const EVERY_MS = 20;

parentPort?.on('message', async (ms) => {
  const times = [];
  const refused = new Set();
  for (const until = performance.now() + ms; performance.now() < until; await pause(EVERY_MS)) {
    const began = performance.now();
    try {
      const answer = await fetch(workerData.url, { headers: workerData.headers });
      const text = await answer.text();
      if (answer.status !== 200) refused.add(text);
    } catch (error) {
      refused.add(String(error));
    }
    times.push(performance.now() - began);
  }
  parentPort?.postMessage({ times, refused: [...refused] });
});
