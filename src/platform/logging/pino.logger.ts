import type { LoggerService } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { pino, type Logger } from 'pino';
import type { LogLevel } from '../config/settings/service.settings.js';
import { logDestination } from './log-destination.js';
import { lineFields } from './line-fields.js';
import { REDACTED_PATHS, withoutSecrets } from './redaction.js';

const NEST_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** The levels of this process's logs; undefined before a log is made. */
let written: { readonly debug: boolean; readonly info: boolean } | undefined;

/** Whether a log of this process writes debug lines; callers can skip building unwritten ones. */
export function logsDebug(): boolean {
  return written?.debug ?? true;
}

/** The same for info lines. */
export function logsInfo(): boolean {
  return written?.info ?? true;
}

/** The service's log: JSON lines, or readable ones on a terminal. Nest's own messages go through it too. */
export class PinoLogger implements LoggerService {
  private readonly pino: Logger;

  private readonly notices: Logger;

  constructor(level: LogLevel, destination = logDestination()) {
    const options = {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }), log: withoutSecrets },
      redact: [...REDACTED_PATHS],
      serializers: { error: pino.stdSerializers.err },
      mixin: fieldsOfLine,
    };
    this.pino = pino(options, destination);
    written = {
      debug: written?.debug === true || this.pino.isLevelEnabled('debug'),
      info: written?.info === true || this.pino.isLevelEnabled('info'),
    };
    this.notices = this.pino.child({}, { level: level === 'silent' ? level : 'info' });
  }

  /** A line about the process itself, at info: written at every LOG_LEVEL but `silent`. */
  notice(line: object): void {
    this.notices.info(line);
  }

  /** Nest's own start-up lines are useful only for debugging it. */
  log(message: unknown, ...rest: unknown[]): void {
    if (!this.pino.isLevelEnabled('info')) return;
    if (NEST_CONTEXTS.has(String(rest.at(-1)))) this.debug(message, ...rest);
    else this.pino.info(...lineOf(message, rest));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.pino.warn(...lineOf(message, rest));
  }

  /** Nest also throws its start-up errors; they are reported where they are caught. */
  error(message: unknown, ...rest: unknown[]): void {
    if (NEST_CONTEXTS.has(String(rest.at(-1)))) this.debug(message, ...rest);
    else this.pino.error(...lineOf(message, rest));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    if (!this.pino.isLevelEnabled('debug')) return;
    this.pino.debug(...lineOf(message, rest));
  }
}

/**
 * The fields that the call or run adds to a line. A recorded trace names the line; a different name from the caller is
 * added.
 */
function fieldsOfLine(): object {
  const { trace_id: named, ...fields } = lineFields() ?? {};
  const traced = placeInTrace();
  if (named === undefined) return { ...fields, ...traced };
  if (!('trace_id' in traced)) return { ...fields, trace_id: named };
  const isOther = named !== traced.trace_id && named !== fields.request_id;
  return { ...fields, ...(isOther ? { caller_trace_id: named } : {}), ...traced };
}

/** The span of a line, in the fields of OpenTelemetry's log model; empty where none is recorded. */
export function placeInTrace(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** Nest passes the logger's name last. */
function lineOf(message: unknown, rest: readonly unknown[]): [object] {
  const context = rest.at(-1);
  const named = typeof context === 'string' ? { context } : {};
  return [typeof message === 'object' && message !== null ? { ...named, ...message } : { ...named, event: message }];
}
