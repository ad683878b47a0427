import type { CredentialIds } from '../blocks/block-list.js';
import type { ListedAddress } from '../platform/address/listed-address.js';

/** The scopes of a caller's credential, or `all` for the local caller without authentication. */
export type GrantedScopes = 'all' | readonly string[];

/** The authentication method of a caller. */
export type AuthenticationMethod = 'token' | 'api-key' | 'local';

/** The authenticated caller, from a credential in the headers and never from the payload (A2A-AUTHN-05). */
export interface Principal {
  readonly tenant: string;
  readonly client: string;
  /** The person or service that the client acts for; absent when it acts for itself. */
  readonly subject?: string;
  readonly scopes: GrantedScopes;
  /** The parties that the subject has delegated to, the latest first (`act`, RFC 8693 §4.1); absent for none. */
  readonly actors?: readonly string[];
  readonly method: AuthenticationMethod;
  /** Expiry of the credential, in milliseconds since the epoch; absent for none. */
  readonly expiresAt?: number;
  /** The ids of its credential, by which the block list may name it. */
  readonly credential?: CredentialIds;
  /** Path of the protected resource that its token is for; absent for the service itself and for other credentials. */
  readonly resourcePath?: string;
  /** The public address that it used; absent where fewer than two are listed. */
  readonly askedAt?: ListedAddress;
}

/** The owner of a task within a tenant: one client, one user of one client, or all clients of the tenant. */
export type OwnershipPolicy = 'client' | 'client-and-user' | 'tenant';

/** The caller of the default start, which listens on loopback only and asks for no credential. */
export const LOCAL_PRINCIPAL: Principal = { tenant: 'default', client: 'local', scopes: 'all', method: 'local' };

/**
 * The name of the owner of a caller's tasks, contexts, configs and cursors (A2A-TEN-04). Two callers share them exactly
 * when these names are equal. No client or user name can imitate another's owner, because each part is escaped, and no
 * tenant's, because tenant names have no `/`.
 */
export function ownerOf(principal: Principal, policy: OwnershipPolicy): string {
  return `${principal.tenant}/${ownerWithin(principal, policy)}`;
}

function ownerWithin({ client, subject }: Principal, policy: OwnershipPolicy): string {
  const name = encodeURIComponent(client);
  switch (policy) {
    case 'tenant':
      return 'tenant';
    case 'client':
      return `client:${name}`;
    case 'client-and-user':
      return subject === undefined ? `client:${name}` : `user:${name}:${encodeURIComponent(subject)}`;
  }
}

/** Whether the tenant that a request names, if it names one, is the caller's own (A2A-TEN-03). */
export function isOwnTenant(principal: Principal, named: string | undefined): boolean {
  return named === undefined || named === '' || named === principal.tenant;
}
