import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { shellWord } from './shell-word.js';

/** Exit statuses (a2a-cli specification §11.6). */
export const EXIT = { ok: 0, failure: 1, usage: 2, unreachable: 3, auth: 4, timeout: 5 } as const;

/** Failures of the command line itself (Appendix D), with their exit status. */
const LOCAL = {
  A2ACLI_ERR_USAGE: EXIT.usage,
  A2ACLI_ERR_CARD_NOT_FOUND: EXIT.unreachable,
  A2ACLI_ERR_CARD_INVALID: EXIT.failure,
  A2ACLI_ERR_UNREACHABLE: EXIT.unreachable,
  A2ACLI_ERR_CREDENTIALS_MISSING: EXIT.auth,
  A2ACLI_ERR_AUTH_FAILED: EXIT.auth,
  A2ACLI_ERR_TIMEOUT: EXIT.timeout,
  A2ACLI_ERR_INTERNAL: EXIT.failure,
} as const;

export type LocalCode = keyof typeof LOCAL;

/** The error document of Appendix B. */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string | null;
    readonly a2aCode: string | number | null;
  };
}

/**
 * Thrown when a command fails: with an error of the protocol, by its name, or one of the command line. Its code sets
 * the exit status.
 */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    readonly code: string,
    message: string,
    readonly exit: number,
    readonly details: { readonly hint?: string | undefined; readonly a2aCode?: string | number | undefined } = {},
  ) {
    super(message);
  }

  get envelope(): ErrorEnvelope {
    const { hint = null, a2aCode = null } = this.details;
    return { error: { code: this.code, message: this.message, hint, a2aCode } };
  }
}

export function localError(code: LocalCode, message: string, hint?: string): CliError {
  return new CliError(code, message, LOCAL[code], { hint });
}

export function usageError(message: string, hint?: string): CliError {
  return localError('A2ACLI_ERR_USAGE', message, hint);
}

/** Known details of the failed call. */
export interface FailureFacts {
  readonly hasCredential: boolean;
  /** Whether the failed call had it. */
  readonly isSent: boolean;
  /** The reference of the agent, for hints. */
  readonly agent: string;
  /** Whether the card was being fetched. */
  readonly isCard?: boolean;
  /** Suggested remedy, for a failure without a hint of its own. */
  readonly hint?: string | undefined;
}

/** The failure of a call, in the words of the specification: the protocol's own name wherever there is one. */
export function cliErrorOf(error: unknown, facts: FailureFacts): unknown {
  if (!(error instanceof RemoteError)) return error;
  switch (error.kind) {
    case 'unreachable':
    case 'blocked':
    case 'timeout':
      return localError('A2ACLI_ERR_UNREACHABLE', error.message, `Check the address: ${facts.agent}`);
    case 'auth':
      return authError(error, facts);
    case 'busy':
    case 'left-alone':
    case 'refused':
      return facts.isCard === true ? cardError(error) : protocolError(error);
    case 'invalid-answer':
      return facts.isCard === true
        ? localError('A2ACLI_ERR_CARD_INVALID', error.message, 'See all faults: parley card get --validate')
        : new CliError('InvalidAgentResponseError', error.message, EXIT.failure);
    case 'unsupported': {
      const code = facts.isCard === true ? 'A2ACLI_ERR_CARD_NOT_FOUND' : 'A2ACLI_ERR_INTERNAL';
      return localError(code, error.message, facts.hint);
    }
  }
}

function cardError(error: RemoteError): CliError {
  const hint = 'Name the host of the agent, or the full URL of its card, with --agent-card';
  return localError('A2ACLI_ERR_CARD_NOT_FOUND', error.message, hint);
}

const NOT_SENT =
  'The credential was not sent: the card is at an address that names no such scheme (WWW-Authenticate). Save the card and name the file with --agent-card';

function authError({ message, fault, status }: RemoteError, { hasCredential, isSent, agent }: FailureFacts): CliError {
  const a2aCode = fault?.code ?? status;
  if (hasCredential) {
    const hint = isSent ? 'The credential was refused' : NOT_SENT;
    return new CliError('A2ACLI_ERR_AUTH_FAILED', message, EXIT.auth, { a2aCode, hint });
  }
  const hint = `Pass --bearer or --api-key, or sign in: parley auth login --agent-card ${shellWord(agent)}`;
  return new CliError('A2ACLI_ERR_CREDENTIALS_MISSING', message, EXIT.auth, { a2aCode, hint });
}

function protocolError({ message, fault, status, retryAfterMs }: RemoteError): CliError {
  const a2aCode = fault?.code ?? status;
  const after = retryAfterMs === undefined ? undefined : `Try again in ${String(Math.ceil(retryAfterMs / 1000))} s`;
  if (fault?.kind === undefined)
    return new CliError('A2ACLI_ERR_INTERNAL', message, EXIT.failure, { a2aCode, hint: after });
  return new CliError(errorName(fault.kind), message, EXIT.failure, { a2aCode, hint: after ?? HINTS[fault.kind] });
}

const HINTS: Readonly<Partial<Record<A2AErrorName, string>>> = {
  TaskNotFound: 'Check the task id; --debug shows the exchange with the agent',
  UnsupportedOperation: '--debug shows the exchange with the agent',
  InvalidParams: '--debug shows the exchange with the agent',
  TaskNotCancelable: 'The task has ended: parley task get shows how',
  VersionNotSupported: 'See the versions of the agent: parley card get',
};

/** The name of a fault as the specification of the protocol writes it (A2A 1.0 §3.3.2, §5.4). */
export function errorName(kind: A2AErrorName): string {
  if (kind === 'ParseError') return 'JSONParseError';
  return kind.endsWith('Error') ? kind : `${kind}Error`;
}
