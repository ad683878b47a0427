import type { Principal } from '../principal.js';
import { parseCompactToken } from './compact-token.js';
import { checkIssuerOptions, type IssuerOptions } from './issuer-options.js';
import type { JwksCache } from './jwks.cache.js';
import { checkClaims, checkHeader, type AcceptedClaims } from './token-profile.js';
import type { TokenRefusal } from './token-refusal.js';
import { VerifiedTokens } from './verified-tokens.js';
import { isSignedBy } from './signed-by.js';

/** One issuer with the cache of its keys. */
export interface TrustedIssuer {
  readonly options: IssuerOptions;
  readonly keys: Pick<JwksCache, 'find' | 'replaced'>;
}

/** Verifies access tokens by the JWT profile of RFC 9068, for several independent issuers. */
export class JwtVerifier {
  private readonly issuers = new Map<string, TrustedIssuer>();
  private readonly verified = new VerifiedTokens();

  /**
   * @param now milliseconds since the epoch
   * @param isTaken whether another authentication method has a client of the same tenant and name
   * @throws Error for wrong options of an issuer, or an issuer given twice
   */
  constructor(
    issuers: readonly TrustedIssuer[],
    private readonly now: () => number,
    private readonly isTaken: (principal: Principal) => boolean = () => false,
  ) {
    for (const issuer of issuers) {
      checkIssuerOptions(issuer.options);
      if (this.issuers.has(issuer.options.issuer)) throw new Error(`Issuer ${issuer.options.issuer} is given twice`);
      this.issuers.set(issuer.options.issuer, issuer);
    }
  }

  /** The principal of the token, or its refusal. @throws CannotVerify when the issuer's keys are unavailable */
  async verify(token: string): Promise<AcceptedClaims | TokenRefusal> {
    const seen = this.verified.find(token);
    const parsed = seen?.parsed ?? parseCompactToken(token);
    if (parsed === undefined) return 'malformed';
    const { iss } = parsed.claims;
    const issuer = typeof iss === 'string' ? this.issuers.get(iss) : undefined;
    if (issuer === undefined) return 'issuer';
    const header = checkHeader(parsed.header, issuer.options);
    if ('refusal' in header) return header.refusal;
    let key = await issuer.keys.find(header.kid);
    if (key === undefined) return 'key';
    // Reloaded keys are other objects: withdrawn or replaced ones verify nothing any more.
    if (seen?.key !== key) {
      if (!(await isSignedBy(token, key, header.algorithm))) {
        // The issuer may have replaced the key under the same name.
        key = await issuer.keys.replaced(header.kid, key);
        if (key === undefined || !(await isSignedBy(token, key, header.algorithm))) return 'signature';
      }
      this.verified.add(token, { parsed, key });
    }
    const claims = checkClaims(parsed.claims, issuer.options, header.kid, this.now());
    if (typeof claims === 'string') return claims;
    return this.isForeign(claims, issuer) ? 'client' : claims;
  }

  /** Whether the client's name belongs to another client. */
  private isForeign({ principal }: AcceptedClaims, { options }: Pick<TrustedIssuer, 'options'>): boolean {
    return options.sharesClients !== true && this.isTaken(principal);
  }
}
