import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { LineOutput, standardOutput } from '../platform/logging/line-output.js';
import { readableDestination } from '../platform/logging/log-destination.js';

/** Takes finished lines, each with its line break. Lines of a failed write are passed again with the next ones. */
export interface AuditStream {
  write(lines: string): unknown;
}

/** Destination of audit lines: standard output, a file, or a stream of the embedding program. */
export type AuditTarget = 'stdout' | { readonly file: string } | { readonly stream: AuditStream };

/** Injection token of the target. */
export const AuditTarget = Symbol('AuditTarget');

/** Opens the target. Synchronous: a decision must be on disk even if the process crashes right after it. */
export function auditStream(target: AuditTarget): AuditStream {
  if (target === 'stdout') return process.stdout.isTTY ? readableDestination(1) : linesOf(standardOutput());
  if ('stream' in target) return target.stream;
  mkdirSync(dirname(target.file), { recursive: true });
  return linesOf(new LineOutput(openSync(target.file, 'a', 0o600)));
}

function linesOf(output: LineOutput): AuditStream {
  return { write: (lines) => output.writeNow(lines) };
}
