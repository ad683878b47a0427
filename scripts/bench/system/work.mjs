// Common to both sides of the benchmark: the same payloads, the same clocks.
import { readFile } from 'node:fs/promises';

export const BIG_TEXT = 'x'.repeat(1024 * 1024);
export const CHUNK_TEXT =
  'A piece of about a hundred bytes, as a language model would give some twenty words of an answer at a time. ';

/** Milliseconds of a clock that all processes of this machine share. */
export function monotonicMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Processor time that this process and the Redis of the run have used, in ms; Redis is known by BENCH_REDIS_PID. */
export async function processorMs() {
  const { user, system } = process.cpuUsage();
  const redis = process.env.BENCH_REDIS_PID;
  return (user + system) / 1000 + (redis === undefined ? 0 : await processorMsOf(Number(redis)));
}

/** The same of another process, in steps of 10 ms: the kernel counts no finer for others. 0 where there is no /proc. */
export async function processorMsOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program may hold spaces: fields are counted from behind it. 14 is user time, 15 system time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
}
