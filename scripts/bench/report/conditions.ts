import { cpus } from 'node:os';
import type { Effort } from '../system/lab.js';

/** Conditions of a run: without them its figures mean nothing. */
export interface Conditions {
  readonly effort: Effort;
  readonly redisVersion: string;
  /** The machine's load average over a minute before the run began: its other work. */
  readonly loadBefore: number;
  /** Remaining speed of a processor while another one works, before and after the run (processors.ts). */
  readonly together: readonly [before: number, after: number];
  readonly began: Date;
  readonly seconds: number;
}

/** One paragraph of Markdown, put above the figures. */
export function conditionsText({ effort, redisVersion, loadBefore, together, began, seconds }: Conditions): string {
  const options = process.argv.slice(2);
  const command = ['npm run bench', ...(options.length === 0 ? [] : ['--', ...options])].join(' ');
  const look = effort.quick ? ' A quick look: none of these figures is worth keeping.' : '';
  return [
    `Node ${process.versions.node}, Redis ${redisVersion}, ${String(cpus().length)} cores`,
    `load average ${loadBefore.toFixed(1)} before the run`,
    `a processor at ${together.map((share) => share.toFixed(2)).join(' and ')} of its speed beside another before and after it`,
    `medians of ${String(effort.rounds)} rounds of ${String(effort.seconds)} s`,
    `\`${command}\`, ${began.toISOString().slice(0, 10)}, ${(seconds / 60).toFixed(1)} minutes.${look}`,
  ].join(', ');
}
