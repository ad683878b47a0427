import type { ResourceOptions } from './protected-resource.js';
import type { ListedAddress } from '../platform/address/listed-address.js';
import ipaddr from 'ipaddr.js';
import type { ApiKey } from './api-key/api-key.js';
import { checkTenancies, type IssuerOptions } from './token/issuer-options.js';

/** Authentication of callers. */
export interface AuthOptions {
  /** `open`: no authentication, every call is from the local principal; only for a service on loopback. */
  readonly mode: 'required' | 'open';
  /** This service's identifier as a protected resource: its public URL (RFC 8707, RFC 9728 §1.2). */
  readonly resource: string;
  /** The public addresses of the service, the default first. Default: none are known. */
  readonly addresses?: readonly ListedAddress[];
  readonly issuers: readonly IssuerOptions[];
  /** At the start. */
  readonly apiKeys: readonly ApiKey[];
  /** At present; default: those at the start. */
  readonly apiKeysNow?: () => readonly ApiKey[];
  /** Accepts tokens bound to a key of their sender (RFC 9449). Default false. */
  readonly dpop?: boolean;
  /** Accepts tokens bound to a TLS certificate (RFC 8705). Default: not accepted. */
  readonly clientCertificates?: CertificateOptions;
  /**
   * Networks of the ingress, in CIDR form. Certificate headers and forwarded addresses are trusted only from there.
   * Default: none.
   */
  readonly ingressNetworks?: readonly string[];
  /** Scopes of features, with their descriptions. Default: none. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** Paths that are protected resources of their own. Default: none. */
  readonly resources?: readonly ResourceOptions[];
}

/** The header in which the ingress passes on the caller's verified TLS certificate. */
export interface CertificateOptions {
  /** Name in lower case of a header that holds the URL-encoded PEM certificate (nginx: `ssl-client-cert`). */
  readonly header: string;
}

/** The token under which Nest keeps the options. */
export const AuthOptions = Symbol('AuthOptions');

/** @throws Error that names the faulty option, at the start of the service */
export function checkAuthOptions(options: AuthOptions): void {
  const { mode, resource, issuers, apiKeys, clientCertificates, ingressNetworks = [] } = options;
  const { protocol, hash } = new URL(resource);
  if (!['https:', 'http:'].includes(protocol) || hash !== '') throw new Error(`${resource} is no resource identifier`);
  if (mode === 'required' && issuers.length === 0 && apiKeys.length === 0) {
    throw new Error('Authentication is required, but neither an issuer nor an API key is configured');
  }
  checkTenancies(issuers);
  if (!ingressNetworks.every(ipaddr.isValidCIDR)) {
    throw new Error('INGRESS_NETWORKS must be networks in CIDR form, as 10.0.0.0/8');
  }
  if (clientCertificates !== undefined && ingressNetworks.length === 0) {
    throw new Error(
      'auth.clientCertificateHeader needs the networks that the ingress calls from: set INGRESS_NETWORKS',
    );
  }
}
