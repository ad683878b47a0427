import type { ListedAddress } from '../../platform/address/listed-address.js';
import { AuthError } from './auth.error.js';

/** The parameters of this service in its challenges. */
export interface ChallengerOptions {
  readonly realm: string;
  /** URL of the RFC 9728 document for callers of a public address; absent when there is none. */
  readonly metadataUrl?: (askedAt?: ListedAddress) => string;
  /** Scopes named in the challenge to a caller without a credential; absent: none. */
  readonly scopes?: readonly string[];
  /** Accepted schemes, preferred one first. */
  readonly schemes: readonly ChallengeScheme[];
}

type Parameter = readonly [name: string, value: string];

export type ChallengeScheme = 'Bearer' | 'DPoP' | 'ApiKey';

/** Makes the errors of refused callers, each with its challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1). */
export class Challenger {
  constructor(
    private readonly options: ChallengerOptions,
    private readonly askedAt?: ListedAddress,
  ) {}

  /** The challenges for callers of a public address. */
  at(askedAt: ListedAddress | undefined): Challenger {
    return askedAt === undefined ? this : new Challenger(this.options, askedAt);
  }

  /** No credentials at all: the challenge carries no error code (RFC 6750 §3.1). */
  missingCredentials(): AuthError {
    const message = 'This service needs credentials: see the security schemes in the agent card';
    const { scopes = [] } = this.options;
    const parameters: Parameter[] = scopes.length === 0 ? [] : [['scope', scopes.join(' ')]];
    return new AuthError('Unauthenticated', message, this.challenges(parameters), 'missing');
  }

  /** Well-formed credentials that were refused. */
  refusedCredentials(description: string, reason: string): AuthError {
    const parameters = [
      ['error', 'invalid_token'],
      ['error_description', description],
    ] satisfies Parameter[];
    return new AuthError('Unauthenticated', description, this.challenges(parameters), reason);
  }

  /** A request with credentials that cannot be read: sent twice, or by two methods (RFC 6750 §2). */
  malformedRequest(description: string): AuthError {
    const parameters = [
      ['error', 'invalid_request'],
      ['error_description', description],
    ] satisfies Parameter[];
    return new AuthError('InvalidRequest', description, this.challenges(parameters), 'malformed request');
  }

  /** A known caller without required scopes; names all of them and never the resource (A2A-AUTHZ-02, O-14). */
  insufficientScope(missing: readonly string[]): AuthError {
    const scope = missing.join(' ');
    const parameters = [
      ['error', 'insufficient_scope'],
      ['scope', scope],
    ] satisfies Parameter[];
    const message = `This call needs the scope${missing.length > 1 ? 's' : ''} ${missing.join(', ')}`;
    return new AuthError('PermissionDenied', message, this.challenges(parameters), 'scope');
  }

  private challenges(parameters: readonly Parameter[]): readonly string[] {
    const { realm, metadataUrl, schemes } = this.options;
    const all: Parameter[] = [['realm', realm], ...parameters];
    if (metadataUrl !== undefined) all.push(['resource_metadata', metadataUrl(this.askedAt)]);
    const text = all.map(([name, value]) => `${name}=${quoted(value)}`).join(', ');
    return schemes.map((scheme) => `${scheme} ${text}`);
  }
}

/** An RFC 9110 §5.6.4 quoted string; drops characters that it cannot hold. */
function quoted(value: string): string {
  return `"${value.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}
