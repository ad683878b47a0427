import type { AuditLog } from '../audit/audit.log.js';
import type { Block } from '../blocks/block-file.js';
import type { Blocks } from '../blocks/blocks.js';
import type { CallLimits } from '../limits/call-limits.js';
import type { RateLimitHeaders } from '../limits/rates/rate-limit-headers.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { AuthError } from './challenge/auth.error.js';
import type { AuthOptions } from './auth-options.js';
import type { Authenticator } from './authenticator.js';
import type { Challenger } from './challenge/challenger.js';
import { type ProtectedResource, resourceOf } from './protected-resource.js';
import type { ListedAddress } from '../platform/address/listed-address.js';
import { httpCall, type HttpRequest, type IncomingCall, type Surroundings } from './incoming/incoming-call.js';
import type { Principal } from './principal.js';
import { missingScope, missingScopes, SCOPE_OF } from './scopes.js';
import { CallLifetime, type Connection } from './call-lifetime.js';
import { certificateThumbprint } from './sender/client-certificate.js';
import { REFUSAL_TEXT } from './token/token-refusal.js';

const NO_HEADERS: RateLimitHeaders = {};

/** The dependencies of the gate. */
export interface GateParts {
  readonly authenticator: Authenticator;
  readonly challenger: Challenger;
  /** Paths with an authentication of their own. Default: none. */
  readonly resources?: readonly ProtectedResource[] | undefined;
  readonly limits: CallLimits;
  readonly audit: AuditLog;
  readonly blocks: Blocks;
  readonly options: Pick<AuthOptions, 'clientCertificates' | 'ingressNetworks' | 'addresses' | 'mode'>;
}

/** Access control of every binding: `admit` authenticates the caller, `permit` authorizes the operation. */
export class CallerGate {
  constructor(private readonly parts: GateParts) {}

  /** The networks from which forwarding headers are trusted, and the public addresses. */
  get surroundings(): Surroundings {
    return this.parts.options;
  }

  /** The address of an HTTP request's caller, behind our own proxies. */
  addressOf(request: HttpRequest): string {
    const { ingressNetworks = [] } = this.surroundings;
    return ingressNetworks.length === 0 ? request.ip : httpCall(request, { ingressNetworks }).address;
  }

  /** The public address that an HTTP request used; undefined where fewer than two are listed. */
  askedAt(request: HttpRequest): ListedAddress | undefined {
    const { addresses = [] } = this.surroundings;
    return addresses.length < 2 ? undefined : httpCall(request, this.surroundings).askedAt;
  }

  /** The caller of an HTTP request; authenticated once per request, for all hooks and guards. */
  async admitHttp(request: HttpRequest): Promise<Principal> {
    request.admission ??= this.admitOnce(request);
    return request.admission;
  }

  private async admitOnce(request: HttpRequest): Promise<Principal> {
    const call = httpCall(request, this.surroundings);
    const thumbprint = certificateThumbprint(request, this.parts.options);
    return this.admit(thumbprint === undefined ? call : { ...call, certificateThumbprint: thumbprint });
  }

  /** The caller. Refusals are counted and recorded. @throws AuthError, RateLimitedError, A2AError Unavailable */
  async admit(call: IncomingCall): Promise<Principal> {
    const { limits, options, audit, blocks } = this.parts;
    if (options.mode === 'required') await limits.countAddress(call.address);
    const resource = resourceOf(this.parts.resources ?? [], call.target);
    const { authenticator, challenger } = resource ?? this.parts;
    try {
      const principal = await authenticator.authenticate(call);
      const block = blocks.of(principal);
      if (block !== undefined) throw blockedCaller(challenger.at(call.askedAt), principal, block);
      return through(resource, principal, call.askedAt);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      const { address, requestId } = call;
      const named = requestId === undefined ? {} : { requestId };
      audit.record({ address, code: error.kind, reason: error.reason, ...named });
      await limits.countFailure(address);
      throw error;
    }
  }

  /** The lifetime of a call, as long as its caller is not gone or blocked. @param connection as of `CallLifetime` */
  lifetimeOf(connection?: Connection): CallLifetime {
    return new CallLifetime(undefined, connection, this.parts.blocks);
  }

  /**
   * Authorizes an operation of a known caller: by scopes, then by rate limits. Reads no resource, so the answer does
   * not reveal what exists (A2A-ERR-05). Returns the rate headers for the response.
   * @throws AuthError PermissionDenied, RateLimitedError
   */
  async permit(principal: Principal, operation: OperationName): Promise<RateLimitHeaders> {
    this.requireScopes(principal, [SCOPE_OF[operation]]);
    return this.countLike(principal, operation);
  }

  /**
   * Authorizes listing the skills that the caller may send messages to: a read that reaches no operation.
   * @throws AuthError PermissionDenied, RateLimitedError
   */
  async permitList(principal: Principal): Promise<RateLimitHeaders> {
    this.requireScopes(principal, [SCOPE_OF.SendMessage]);
    return this.countLike(principal, 'GetTask');
  }

  /** Counts a request with a forged claim against its address. @throws RateLimitedError */
  async countForgery(request: HttpRequest): Promise<void> {
    await this.parts.limits.countFailure(this.addressOf(request));
  }

  /** Counts a request of the console. @param cost number of requests to count @throws RateLimitedError */
  async countConsole(principal: Principal, cost = 1): Promise<RateLimitHeaders> {
    return principal.method === 'local' ? NO_HEADERS : this.parts.limits.countConsole(principal, cost);
  }

  /** Counts a request at the cost of an operation. @throws RateLimitedError */
  async countLike(principal: Principal, operation: OperationName): Promise<RateLimitHeaders> {
    // Without authentication only this machine can call, so rate limits would have no use.
    return principal.method === 'local' ? NO_HEADERS : this.parts.limits.countCall(principal, operation);
  }

  /** Counts the bytes of a large answer before they are fetched. @throws RateLimitedError */
  async countBytes(principal: Principal, bytes: number): Promise<void> {
    if (principal.method !== 'local') await this.parts.limits.countBytes(principal, bytes);
  }

  /** Counts the refusal of a permitted call by a quota; other errors are not counted. */
  countRefusal(error: unknown): void {
    this.parts.limits.countRefusal(error);
  }

  /**
   * Requires one of the scopes that a path accepts, before the call is read. Records a refusal.
   * @throws AuthError PermissionDenied
   */
  requireOneOf(request: HttpRequest, principal: Principal, scopes: readonly string[]): void {
    if (missingScopes(principal, scopes).length < scopes.length || principal.scopes === 'all') return;
    const entry = { caller: principal, address: this.addressOf(request), code: 'PermissionDenied' } as const;
    this.parts.audit.record(request.id === undefined ? entry : { ...entry, requestId: request.id });
    this.requireScopes(principal, scopes);
  }

  /** @throws AuthError PermissionDenied that names all missing scopes (RFC 6750 §3) */
  requireScopes(principal: Principal, scopes: readonly string[]): void {
    if (missingScope(principal, scopes) === undefined) return;
    const { challenger } = this.parts.resources?.find(({ path }) => path === principal.resourcePath) ?? this.parts;
    throw challenger.at(principal.askedAt).insufficientScope(missingScopes(principal, scopes));
  }
}

/** A blocked caller gets the text of an invalid credential; the audit log has the reason. */
function blockedCaller(challenger: Challenger, { method }: Principal, { reason }: Block): AuthError {
  const text = method === 'token' ? REFUSAL_TEXT.key : 'The API key is not valid';
  return challenger.refusedCredentials(text, `blocked: ${reason}`);
}

/** The caller of a token for a protected resource; its scopes may be missing elsewhere. */
function through(
  resource: ProtectedResource | undefined,
  principal: Principal,
  askedAt: ListedAddress | undefined,
): Principal {
  const known = askedAt === undefined ? principal : { ...principal, askedAt };
  return resource === undefined || principal.method !== 'token' ? known : { ...known, resourcePath: resource.path };
}
