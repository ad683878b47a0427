import { printable, printableJson, printableLine } from '@parley/protocol/json/printable.js';

/** A log record, before it is written as JSON. */
export type LogRecord = Readonly<Record<string, unknown>>;

/** Values that are clear without their names, in this order, before the named members. */
const PLAIN = ['operation', 'skill', 'outcome', 'result', 'ending', 'code', 'reason'];
/** Members left out of the readable line: for programs only, or already shown in it. */
const HIDDEN = new Set([
  'level',
  'time',
  'event',
  'context',
  'log',
  'error',
  'requestId',
  'contextId',
  'trace_id',
  'span_id',
  ...PLAIN,
  'ms',
]);

/** The text of a record for a terminal: event, outcome, duration, then the other members by name. */
export function readableLine(record: LogRecord): string {
  const plain = PLAIN.flatMap((name) => textOf(record[name]) ?? []);
  const time = typeof record.ms === 'number' ? [`${String(record.ms)} ms`] : [];
  const named = Object.entries(record).flatMap(([name, value]) => {
    const text = HIDDEN.has(name) ? undefined : textOf(value);
    return text === undefined ? [] : [`${name}=${text}`];
  });
  const line = [textOf(record.event) ?? '', ...plain, ...time, ...named].join(' ');
  const stack = stackOf(record.error);
  return stack === undefined ? line : `${line}\n${stack}`;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? printableLine(value) : printableJson(value);
}

function stackOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return textOf(error);
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  return typeof stack === 'string' ? printable(stack) : textOf(message);
}
