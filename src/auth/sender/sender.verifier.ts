import type { IncomingCall } from '../incoming/incoming-call.js';
import type { Confirmation } from '../token/token-profile.js';
import type { TokenRefusal } from '../token/token-refusal.js';
import type { TokenScheme } from '../incoming/credentials.js';
import { checkDpopProof } from './dpop-proof.js';
import type { ProofStore } from './proof.store.js';

/** The checks that a sender owns the key or certificate of a bound token. */
export interface SenderOptions {
  /** Records used proofs; absent when DPoP is off. */
  readonly proofs?: Pick<ProofStore, 'use'>;
  /** The service's public URLs, one of which a proof names; paths are appended to it. */
  readonly publicUrls: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A token as received. */
export interface PresentedToken {
  readonly token: string;
  readonly scheme: TokenScheme;
  /** The binding of the token; undefined for a plain bearer token. */
  readonly confirmation: Confirmation | undefined;
}

/**
 * Verifies that the sender of a token is the one it is bound to. A bound token never passes as a plain one, whichever
 * options are off.
 */
export class SenderVerifier {
  constructor(private readonly options: SenderOptions) {}

  /** The reason for which the sender may not use the token; undefined when it may. @throws CannotVerify */
  async refusal(call: IncomingCall, presented: PresentedToken): Promise<TokenRefusal | undefined> {
    const { keyThumbprint, certificateThumbprint } = presented.confirmation ?? {};
    if (certificateThumbprint !== undefined && certificateThumbprint !== call.certificateThumbprint) {
      return 'sender constraint';
    }
    if ((keyThumbprint !== undefined) !== (presented.scheme === 'dpop')) return 'sender constraint';
    if (keyThumbprint === undefined) return undefined;
    return (await this.isProven(call, presented.token, keyThumbprint)) ? undefined : 'proof';
  }

  private async isProven(call: IncomingCall, token: string, keyThumbprint: string): Promise<boolean> {
    const { proofs, now } = this.options;
    const [proof, second] = call.header('dpop');
    if (proofs === undefined || proof === undefined || second !== undefined) return false;
    const urls = this.options.publicUrls.map((url) => url.replace(/\/$/, '') + call.target);
    const jti = await checkDpopProof(proof, { token, keyThumbprint, method: call.method, urls, now: now() });
    return jti !== undefined && (await proofs.use(keyThumbprint, jti));
  }
}
