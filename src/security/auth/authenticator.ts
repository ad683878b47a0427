import { A2AError } from '../../protocol/errors.js';
import type { ApiKeyVerifier } from './api-key/api-key.verifier.js';
import type { AuthOptions } from './auth-options.js';
import { CannotVerify } from './cannot-verify.js';
import type { Challenger } from './challenger.js';
import { readCredentials, type TokenScheme } from './credentials.js';
import type { IncomingCall } from './incoming-call.js';
import { isMeantForThisMachine } from './open-start.js';
import { LOCAL_PRINCIPAL, type Principal } from './principal.js';
import type { SenderVerifier } from './sender/sender.verifier.js';
import { REFUSAL_TEXT } from './token/token-refusal.js';
import type { TokenVerifier } from './token/token.verifier.js';

/** The verifiers of the authenticator. */
export interface AuthenticatorParts {
  readonly mode: AuthOptions['mode'];
  readonly tokens: TokenVerifier;
  readonly apiKeys: ApiKeyVerifier;
  readonly senders: SenderVerifier;
  readonly challenger: Challenger;
}

/** Authenticates a call from its headers only, in the same way for every binding (A2A-AUTHN-02, A2A-AUTHN-05). */
export class Authenticator {
  constructor(private readonly parts: AuthenticatorParts) {}

  /**
   * The caller. @throws AuthError with its challenges when the caller is not known; A2AError Unavailable when that
   * cannot be found out at the moment
   */
  async authenticate(call: IncomingCall): Promise<Principal> {
    const { mode, challenger } = this.parts;
    if (mode === 'open') return this.localCaller(call);
    const credentials = readCredentials(call);
    switch (credentials.kind) {
      case 'none':
        throw challenger.missingCredentials();
      case 'malformed':
        throw challenger.malformedRequest(credentials.why);
      case 'api-key':
        return this.callerOfKey(credentials.key);
      case 'token':
        return this.callerOfToken(call, credentials);
    }
  }

  private localCaller(call: IncomingCall): Principal {
    if (isMeantForThisMachine(call)) return LOCAL_PRINCIPAL;
    throw new A2AError('PermissionDenied', 'This service is open to callers on its own machine only');
  }

  private callerOfKey(key: string): Principal {
    const principal = this.parts.apiKeys.verify(key);
    if (principal !== undefined) return principal;
    throw this.parts.challenger.refusedCredentials('The API key is not valid', 'api key');
  }

  private async callerOfToken(
    call: IncomingCall,
    presented: { token: string; scheme: TokenScheme },
  ): Promise<Principal> {
    const verdict = await this.parts.tokens.verify(presented.token).catch(translateUnavailable);
    if (typeof verdict === 'string') throw this.refused(verdict);
    const { principal, confirmation } = verdict;
    const refusal = await this.parts.senders
      .refusal(call, { token: presented.token, scheme: presented.scheme, confirmation })
      .catch(translateUnavailable);
    if (refusal !== undefined) throw this.refused(refusal);
    return principal;
  }

  private refused(refusal: keyof typeof REFUSAL_TEXT): Error {
    return this.parts.challenger.refusedCredentials(REFUSAL_TEXT[refusal], refusal);
  }
}

/** A failed lookup is a server-side error, not an invalid token: it proves nothing about the caller. */
function translateUnavailable(cause: unknown): never {
  if (!(cause instanceof CannotVerify)) throw cause;
  const { retryAfterSeconds } = cause;
  throw new A2AError('Unavailable', 'Callers cannot be checked at the moment', { retryAfterSeconds, cause });
}
