import { A2AError } from '@parley/protocol/model/errors.js';
import { CannotVerify } from '../cannot-verify.js';
import type { Challenger } from '../challenge/challenger.js';
import { readCredentials } from '../incoming/credentials.js';
import type { IncomingCall } from '../incoming/incoming-call.js';
import type { Principal } from '../principal.js';
import type { SenderVerifier } from '../sender/sender.verifier.js';
import { RefusedTokens } from '../token/refused-tokens.js';
import { REFUSAL_TEXT, type TokenRefusal } from '../token/token-refusal.js';
import type { JwtVerifier } from '../token/jwt.verifier.js';
import { CallerStrategy } from './caller-strategy.js';

/** The dependencies of the strategy. */
export interface JwtParts {
  readonly tokens: JwtVerifier;
  readonly senders: SenderVerifier;
  readonly challenger: Challenger;
}

/**
 * Authenticates callers by access tokens. The extractors of passport-jwt read the header (`credentials.ts`); jose
 * verifies, since the check of passport-jwt lacks EdDSA and accepts tokens that RFC 9068 refuses.
 */
export class JwtStrategy extends CallerStrategy {
  private readonly refusals = new RefusedTokens();

  /** @param path path of the protected resource; default: the service itself */
  constructor(
    private readonly parts: JwtParts,
    path = '',
  ) {
    super(`jwt${path}`, 'token');
  }

  override async validate(call: IncomingCall): Promise<Principal | undefined> {
    const credentials = readCredentials(call);
    if (credentials.kind !== 'token') return undefined;
    const { token, scheme } = credentials;
    const verdict = await this.parts.tokens.verify(token).catch(translateUnavailable);
    if (typeof verdict === 'string') throw this.refused(verdict, token, call);
    const { principal, confirmation } = verdict;
    const refusal = await this.parts.senders.refusal(call, { token, scheme, confirmation }).catch(translateUnavailable);
    if (refusal !== undefined) throw this.refused(refusal, token, call);
    return principal;
  }

  private refused(refusal: TokenRefusal, token: string, { askedAt }: IncomingCall): Error {
    this.refusals.note(refusal, token);
    return this.parts.challenger.at(askedAt).refusedCredentials(REFUSAL_TEXT[refusal], refusal);
  }
}

/** A failed look-up proves nothing about the token: the error is ours, not the caller's. */
function translateUnavailable(cause: unknown): never {
  if (!(cause instanceof CannotVerify)) throw cause;
  const { retryAfterSeconds } = cause;
  throw new A2AError('Unavailable', 'Callers cannot be checked at the moment', { retryAfterSeconds, cause });
}
