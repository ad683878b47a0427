import { type AgentAnswer, readAll } from '@parley/client/http/agent-http.js';
import { retryAfterOf } from '@parley/client/http/failed-answer.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { EgressTimeoutError, EgressTransportError } from '../../outbound/egress.errors.js';
import { errorIn } from './message.js';
import { badAnswer, ToolError, type ToolErrorKind } from './tool-error.js';

/** Bytes of a failed answer to read for its reason. */
const MAX_FAILURE = 64 * 1024;

/** A value that fits a header as it is, or as base64 (SEP-2243). */
export function headerText(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** Discards the body of an answer, which closes its connection. */
export async function discard({ body }: AgentAnswer): Promise<void> {
  // An unread body would keep its connection and its deadline.
  for await (const _piece of body) return;
}

/** The error of an answer without a success status. Reads its body up to the bound. */
export async function failure(answer: AgentAnswer): Promise<ToolError> {
  const { status, headers } = answer;
  const tooLarge = (): RemoteError => new RemoteError('invalid-answer', 'too large');
  const text = await readAll(answer.body, MAX_FAILURE, tooLarge).catch(() => Buffer.alloc(0));
  const said = errorIn(text);
  return new ToolError(kindOf(status), said?.message ?? `The server answered ${String(status)}`, {
    ...{ status, code: said?.code, data: said?.data, retryAfterMs: retryAfterOf(headers['retry-after']) },
  });
}

function kindOf(status: number): ToolErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429 || status === 503) return 'busy';
  if (status >= 500) return 'lost';
  return status >= 400 ? 'refused' : 'invalid-answer';
}

/** Translates a connection error to one of a tool server. The signal's own reason is kept. */
export function translated(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (!(error instanceof RemoteError)) return error;
  const { retryAfterMs, message } = error;
  switch (error.kind) {
    case 'blocked':
      return new ToolError('blocked', 'The egress rules do not allow its address', { cause: error });
    case 'auth':
      return new ToolError('auth', 'No credential can be had for it', { cause: error });
    case 'busy':
    case 'left-alone':
      return new ToolError('busy', 'It has no capacity', { retryAfterMs, cause: error });
    case 'timeout':
    case 'unreachable':
      return isUnsent(error.cause)
        ? new ToolError('unsent', 'It cannot be reached', { cause: error })
        : new ToolError('lost', 'The connection broke, or no answer came in time', { cause: error });
    case 'refused':
    case 'unsupported':
    case 'invalid-answer':
      return badAnswer(message, error);
  }
}

/** Whether a connection failed before anything was sent. */
function isUnsent(cause: unknown): boolean {
  if (cause instanceof EgressTransportError) return ['dns', 'connect', 'tls'].includes(cause.code);
  return cause instanceof EgressTimeoutError && ['dns', 'connect'].includes(cause.phase);
}
