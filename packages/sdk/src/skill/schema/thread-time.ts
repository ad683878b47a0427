import { existsSync, readFileSync } from 'node:fs';

/** Processor time of this thread. Node has it since 22.19. */
const { threadCpuUsage = ofLinux } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };

/** Processor time that this thread has used, ms. */
export function threadMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

/** Of an older Node only Linux knows that of a thread (in about 40 µs); elsewhere it is that of the process. */
function ofLinux(): NodeJS.CpuUsage {
  const nanoseconds = Number(readIfThere('/proc/thread-self/schedstat').split(' ')[0]);
  return nanoseconds > 0 ? { user: nanoseconds / 1000, system: 0 } : process.cpuUsage();
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}
