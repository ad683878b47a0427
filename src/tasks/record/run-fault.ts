import { inspect } from 'node:util';
import { withoutSecretTexts } from '../../platform/logging/redaction.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';

/** The error that failed a run, for operators with the right to read content: callers never get it. */
export interface RunFault {
  /** The class of the error. */
  readonly type: string;
  /** At most 500 characters, without control characters and secrets. */
  readonly message: string;
  /** Reference of the log line with the stack, which the caller got instead. */
  readonly reference?: string;
}

/** Stored characters of an error: less than 50 KiB for 50 runs. */
const MAX_TYPE = 80;
const MAX_MESSAGE = 500;
/** Characters of an error that are searched for secrets. */
const MAX_READ = 4_000;
/** Characters of a status message that are read for its reason. */
const MAX_STATUS = 65_536;

/** @param error the thrown value, of any type */
export function faultOf(error: unknown, reference?: string): RunFault {
  const type = error instanceof Error ? error.name : typeof error;
  return faultNamed(type, textOf(error), reference);
}

export function faultNamed(type: string, message: string, reference?: string): RunFault {
  const shown = withoutSecretTexts(message.slice(0, MAX_READ));
  return {
    type: shortened(printable(type), MAX_TYPE),
    message: shortened(printable(shown), MAX_MESSAGE),
    ...(reference === undefined ? {} : { reference }),
  };
}

/** The message of an error with that of its cause: `fetch failed` alone is useless. */
function textOf(error: unknown): string {
  if (!(error instanceof Error))
    return typeof error === 'string' ? error : inspect(error, { depth: 2, breakLength: Infinity });
  const { message, cause } = error;
  if (!(cause instanceof Error)) return message;
  const code: unknown = Reflect.get(cause, 'code');
  const because = cause.message === '' && typeof code === 'string' ? code : cause.message;
  return because === '' || message.includes(because) ? message : `${message} (${because})`;
}

/** Parses a stored fault; undefined without one. */
export function storedFault(text: string | null | undefined): RunFault | undefined {
  return typeof text === 'string' ? (JSON.parse(text) as RunFault) : undefined;
}

/**
 * The reason of a failure or rejection: the beginning of the text of its status message, as given to its caller.
 * @param message JSON of the status message, or ''
 */
export function reasonOf(state: TaskState, message: string): { readonly reason?: string } {
  if (state !== 'TASK_STATE_FAILED' && state !== 'TASK_STATE_REJECTED') return {};
  if (message === '' || message.length > MAX_STATUS) return {};
  const { parts } = JSON.parse(message) as Message;
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join(' ');
  return text === '' ? {} : { reason: shortened(printable(text), MAX_MESSAGE) };
}

/** A task without the reason of its end and the error of its last run. */
export function withoutReason<T extends { readonly reason?: string; readonly fault?: RunFault }>({
  reason: _reason,
  fault: _fault,
  ...rest
}: T): Omit<T, 'reason' | 'fault'> {
  return rest;
}

/** The work on a task without the errors of its runs. */
export function withoutFaults<T extends { readonly runs: readonly { readonly fault?: RunFault }[] }>(work: T): T {
  return { ...work, runs: work.runs.map(({ fault: _fault, ...run }) => run) };
}

function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

function shortened(text: string, most: number): string {
  // Half a surrogate pair is not a character.
  return text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
