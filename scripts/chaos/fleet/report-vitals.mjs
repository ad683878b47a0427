// Prints the memory of a process every five seconds, in one line on its standard output: a long run must not grow it.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const EVERY_MS = 5_000;

export function reportVitals() {
  setInterval(() => {
    // Garbage is not held: without this the figures follow V8's own pace.
    collect();
    const { rss, heapUsed, external } = process.memoryUsage();
    const resources = process.getActiveResourcesInfo();
    const count = (name) => resources.filter((resource) => resource === name).length;
    const sockets = count('TCPSocketWrap');
    process.stdout.write(
      `${JSON.stringify({ vitals: { rss, heap: heapUsed + external, sockets, timers: count('Timeout') } })}\n`,
    );
  }, EVERY_MS).unref();
}
