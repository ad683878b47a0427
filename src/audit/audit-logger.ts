import { destination, pino, stdTimeFunctions, type Logger } from 'pino';

/** Where audit lines go: beside the service's own log, marked `"log":"audit"`, or into a file of their own. */
export type AuditTarget = { readonly beside: Logger } | { readonly file: string };

/** The logger behind the audit log. It is not silenced by the service's log level. */
export function auditLogger(target: AuditTarget): Logger {
  const bindings = { log: 'audit' };
  if ('beside' in target) return target.beside.child(bindings, { level: 'info' });
  const options = { base: bindings, level: 'info', timestamp: stdTimeFunctions.isoTime };
  return pino(options, destination({ dest: target.file, mkdir: true, mode: 0o600, sync: false }));
}
