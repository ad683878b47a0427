import type { ListedAddress } from '../platform/address/listed-address.js';
import type { RedisClient } from '../platform/redis/connection/redis-client.js';
import { ApiKeyVerifier } from './api-key/api-key.verifier.js';
import { Authenticator } from './authenticator.js';
import type { AuthOptions } from './auth-options.js';
import type { ProtectedResource, ResourceOptions } from './protected-resource.js';
import { Challenger, type ChallengeScheme } from './challenge/challenger.js';
import { metadataUrl, protectedResource, resourceAt } from './challenge/protected-resource.js';
import { ProofStore } from './sender/proof.store.js';
import { SenderVerifier } from './sender/sender.verifier.js';
import { ApiKeyStrategy } from './strategies/api-key.strategy.js';
import type { CallerStrategy } from './strategies/caller-strategy.js';
import { JwtStrategy } from './strategies/jwt.strategy.js';
import { LocalStrategy } from './strategies/local.strategy.js';
import type { HttpGet } from './token/http-get.js';
import type { IssuerOptions } from './token/issuer-options.js';
import { JwksCache } from './token/jwks.cache.js';
import { JwksSource } from './token/jwks.source.js';
import { JwtVerifier, type TrustedIssuer } from './token/jwt.verifier.js';

/** The dependencies of an authenticator. */
export interface AuthenticatorNeeds {
  readonly auth: AuthOptions;
  readonly http: HttpGet;
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly challenger: Challenger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called after every failed load of an issuer's keys. */
  readonly onKeyFailure: (issuer: string, error: unknown, hasKeys: boolean) => void;
}

/**
 * Builds an authenticator from Passport's strategies. Each gets a name in Passport; the authenticator uses those of its
 * mode.
 * @param path path of the protected resource; absent: the service itself
 * @throws Error for unusable options of an issuer
 */
export function createAuthenticator(
  needs: AuthenticatorNeeds,
  issuers = trustedIssuers(needs),
  path?: string,
): Authenticator {
  const local = new LocalStrategy(path);
  const byCredential = strategiesOf(needs, issuers, path);
  return new Authenticator(needs.auth.mode === 'open' ? [local] : byCredential, needs.challenger);
}

/** The issuers with the caches of their keys, shared by the authenticators of the service and of its resources. */
export function trustedIssuers(needs: AuthenticatorNeeds): readonly TrustedIssuer[] {
  return needs.auth.issuers.map((options) => trust(options, needs));
}

/** Authentication at a protected resource of its own: the same credentials, but only tokens for that resource. */
export function createResource(
  options: ResourceOptions,
  needs: AuthenticatorNeeds,
  issuers: readonly TrustedIssuer[],
): ProtectedResource {
  const { path, resource, audiences, takesServiceTokens } = options;
  const challenger = createChallenger({ ...needs.auth, resource }, options);
  const own = issuers.map(({ options: issuer, keys }) => {
    const taken = takesServiceTokens ? [...issuer.audiences, ...audiences] : audiences;
    return { options: { ...issuer, audiences: taken }, keys };
  });
  // Proofs name the URL of the call: paths are appended to the part before the path of the resource.
  const auth = { ...needs.auth, resource: resource.slice(0, -path.length) };
  return { path, challenger, authenticator: createAuthenticator({ ...needs, auth, challenger }, own, path) };
}

function strategiesOf(
  needs: AuthenticatorNeeds,
  issuers: readonly TrustedIssuer[],
  path?: string,
): readonly CallerStrategy[] {
  const { auth, now, challenger } = needs;
  const { addresses = [] } = auth;
  const proofs = auth.dpop === true ? { proofs: new ProofStore(needs.redis, needs.keyPrefix) } : {};
  const apiKeys = new ApiKeyVerifier(auth.apiKeysNow ?? (() => auth.apiKeys));
  return [
    new JwtStrategy(
      {
        tokens: new JwtVerifier(issuers, now, (principal) => apiKeys.knows(principal)),
        senders: new SenderVerifier({
          ...proofs,
          publicUrls: [auth.resource, ...addresses.map(({ url }) => url)],
          now,
        }),
        challenger,
      },
      path,
    ),
    new ApiKeyStrategy(apiKeys, challenger, path),
  ];
}

/** The challenges for the configured credentials. @param own those of a resource at a path of its own */
export function createChallenger(
  auth: AuthOptions,
  { path, scopes = [] }: Partial<Pick<ResourceOptions, 'path' | 'scopes'>> = {},
): Challenger {
  const schemes: ChallengeScheme[] = [];
  if (auth.issuers.length > 0) schemes.push('Bearer');
  if (auth.dpop === true) schemes.push('DPoP');
  if (schemes.length === 0) schemes.push('ApiKey');
  const url = (askedAt?: ListedAddress): string => metadataUrl(resourceAt(auth, askedAt, path));
  const metadata = protectedResource(auth) === undefined ? {} : { metadataUrl: url };
  return new Challenger({ realm: 'a2a', schemes, ...metadata, ...(scopes.length === 0 ? {} : { scopes }) });
}

function trust(options: IssuerOptions, { http, now, onKeyFailure }: AuthenticatorNeeds): TrustedIssuer {
  const source = new JwksSource(options, http);
  const onFailure = (error: unknown, hasKeys: boolean): void => {
    onKeyFailure(options.issuer, error, hasKeys);
  };
  return { options, keys: new JwksCache({ load: () => source.load(), now, onFailure }) };
}
