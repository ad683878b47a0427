import { destination, pino, stdTimeFunctions, type Logger } from 'pino';
import { logDestination } from '../../platform/logging/log-destination.js';
import { placeInTrace } from '../../platform/logging/pino.logger.js';

/** Where audit lines go: beside other lines of a log, to standard output, or into a file of their own. */
export type AuditTarget = { readonly beside: Logger } | 'stdout' | { readonly file: string };

/** Injection token of the target. */
export const AuditTarget = Symbol('AuditTarget');

/** The logger behind the audit log. Its lines are marked `"log":"audit"`, and no log level of the service silences it. */
export function auditLogger(target: AuditTarget): Logger {
  const bindings = { log: 'audit' };
  if (typeof target === 'object' && 'beside' in target) return target.beside.child(bindings, { level: 'info' });
  const options = {
    ...{ base: bindings, level: 'info', timestamp: stdTimeFunctions.isoTime },
    // A word, as in the other lines of the service.
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: placeInTrace,
  };
  if (target === 'stdout') {
    const terminal = logDestination();
    return terminal === undefined ? pino(options) : pino(options, terminal);
  }
  // Synchronous: the decision must be on disk even if the process crashes right after it.
  return pino(options, destination({ dest: target.file, mkdir: true, mode: 0o600, sync: true }));
}
