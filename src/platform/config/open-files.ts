import { readFileSync } from 'node:fs';

/** All modules of the service are opened at once: with 512 files a start fails by a missing module, 640 suffice. */
const MIN_OPEN_FILES = 1_024;

/** The hard limit of open files, to which Node raises the soft one; undefined where the system does not report it. */
function hardLimit(): number | undefined {
  try {
    const [, hard = ''] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return /^\d+$/.test(hard) ? Number(hard) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The reason why a process with this limit cannot start; undefined if it can. Loads no module, since modules are files
 * too.
 */
export function openFilesFault(limit = hardLimit()): string | undefined {
  if (limit === undefined || limit >= MIN_OPEN_FILES) return undefined;
  return `The limit of open files is ${String(limit)}: at least ${String(MIN_OPEN_FILES)} are needed (ulimit -Hn, LimitNOFILE of systemd, ulimits of Docker).`;
}
