import { destination } from 'pino';
import { standardOutput } from '../../platform/logging/line-output.js';
import { readableDestination } from '../../platform/logging/log-destination.js';

/** Takes finished lines, each with its line break. */
export interface AuditStream {
  write(lines: string): unknown;
}

/** Where audit lines go: to standard output, into a file of their own, or to a stream of the embedding program. */
export type AuditTarget = 'stdout' | { readonly file: string } | { readonly stream: AuditStream };

/** Injection token of the target. */
export const AuditTarget = Symbol('AuditTarget');

/** Opens the target. Synchronous: a decision must be on disk even if the process crashes right after it. */
export function auditStream(target: AuditTarget): AuditStream {
  if (target === 'stdout') return process.stdout.isTTY ? readableDestination(1) : standardLines();
  if ('stream' in target) return target.stream;
  return destination({ dest: target.file, mkdir: true, mode: 0o600, sync: true });
}

function standardLines(): AuditStream {
  const output = standardOutput();
  return { write: (lines) => output.writeNow(lines) };
}
