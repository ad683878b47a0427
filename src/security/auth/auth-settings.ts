import { ofVariable } from '../../platform/config/of-variable.js';
import { readDto } from '../../platform/validation/read-file-dto.js';
import { parseApiKeys } from './api-key/api-key.js';
import { checkAuthOptions, type AuthOptions } from './auth-options.js';
import { IssuerSettings } from './issuer.settings.js';
import { isLoopbackHost, isProtectedUrl } from './loopback.js';
import { checkIssuerOptions, type IssuerOptions } from './token/issuer-options.js';
import type { JwtProfile } from './token/token-shape.js';

/** The authentication variables as strings; each member has the name of its variable. */
export interface AuthSettings {
  /** Where the service listens. */
  readonly HOST: string;
  /** One issuer; its tokens are for `JWT_AUDIENCE`, or for the service's own URL. */
  readonly JWT_ISSUER?: string;
  /** Divided by commas; the first is the service's identifier as a resource. */
  readonly JWT_AUDIENCE?: string;
  readonly JWKS_URI?: string;
  readonly JWT_TOKEN_URL?: string;
  /** Default `rfc9068`. */
  readonly JWT_PROFILE?: JwtProfile;
  /** Default `default`, unless a claim names the tenant. */
  readonly JWT_TENANT?: string;
  readonly JWT_TENANT_CLAIM?: string;
  /** More issuers, or all: a JSON list of `IssuerSettings`. */
  readonly JWT_ISSUERS?: string;
  /** The content of the list, as `parseApiKeys` reads it. */
  readonly API_KEYS?: string;
  readonly DPOP?: boolean;
  /** Needs `INGRESS_NETWORKS`. */
  readonly CLIENT_CERTIFICATE_HEADER?: string;
  /** Divided by commas: see `AuthOptions.ingressNetworks`. */
  readonly INGRESS_NETWORKS?: string;
}

/**
 * How callers are known, by an operator's settings. Without any, a service on loopback is open and any other refuses to
 * start. @param publicUrl where callers reach the service
 * @throws Error that names the variable to change
 */
export function authOptionsOf(settings: AuthSettings, publicUrl: string): AuthOptions {
  const audiences = listOf(settings.JWT_AUDIENCE);
  // An audience may be any name (RFC 7519 §4.1.3); only one that is an address can name the resource (RFC 9728 §1.2).
  const resource = audiences.find((audience) => /^https?:/.test(audience) && URL.canParse(audience)) ?? publicUrl;
  const issuers = issuersOf(settings, audiences.length > 0 ? audiences : [publicUrl]);
  const apiKeys = ofVariable('API_KEYS', () => parseApiKeys(settings.API_KEYS ?? ''));
  const mode = issuers.length > 0 || apiKeys.length > 0 ? 'required' : 'open';
  if (mode === 'open' && !isLoopbackHost(settings.HOST)) {
    throw new Error(`HOST is ${settings.HOST}, so other machines can call: set JWT_ISSUER, JWT_ISSUERS or API_KEYS.`);
  }
  checkUrl('JWT_TOKEN_URL', settings.JWT_TOKEN_URL);
  const header = settings.CLIENT_CERTIFICATE_HEADER?.toLowerCase();
  const ingressNetworks = listOf(settings.INGRESS_NETWORKS);
  const options: AuthOptions = {
    ...{ mode, resource, issuers, apiKeys, dpop: settings.DPOP === true, ingressNetworks },
    ...(header === undefined ? {} : { clientCertificates: { header } }),
  };
  checkAuthOptions(options);
  return options;
}

function issuersOf(settings: AuthSettings, audiences: readonly string[]): readonly IssuerOptions[] {
  const { JWT_ISSUER: issuer, JWKS_URI: jwksUri, JWT_TOKEN_URL: tokenUrl, JWT_TENANT_CLAIM: tenantClaim } = settings;
  const { JWT_PROFILE: profile } = settings;
  const more = settings.JWT_ISSUERS === undefined ? [] : parseIssuers(settings.JWT_ISSUERS);
  if (issuer === undefined) return more;
  checkUrl('JWT_ISSUER', issuer);
  checkUrl('JWKS_URI', jwksUri);
  const tenancy = tenantClaim === undefined ? { tenant: settings.JWT_TENANT ?? 'default' } : { tenantClaim };
  const one: IssuerOptions = {
    ...{ issuer, audiences, ...tenancy },
    ...(profile === undefined ? {} : { profile }),
    ...(jwksUri === undefined ? {} : { jwksUri }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
  };
  ofVariable('JWT_ISSUER', () => {
    checkIssuerOptions(one);
  });
  return [one, ...more];
}

function parseIssuers(text: string): readonly IssuerOptions[] {
  return ofVariable('JWT_ISSUERS', () => {
    const list = parsed(text);
    if (!Array.isArray(list)) throw new Error('must be a JSON list');
    const issuers = list.map((item: unknown, at) => readDto(IssuerSettings, item, `[${String(at)}]`));
    for (const issuer of issuers) {
      checkIssuerOptions(issuer);
      for (const url of [issuer.issuer, issuer.jwksUri, issuer.tokenUrl]) checkSecureUrl(url);
    }
    return issuers;
  });
}

function checkUrl(variable: string, url: string | undefined): void {
  ofVariable(variable, () => {
    checkSecureUrl(url);
  });
}

/** Keys and tokens travel by https: by http every token would fail, since its keys are never fetched. */
function checkSecureUrl(url: string | null | undefined): void {
  if (url === undefined || url === null) return;
  if (!URL.canParse(url)) throw new Error('must be a URL, as https://login.example');
  if (!isProtectedUrl(url)) throw new Error('must begin with https:// (http:// is for this machine only)');
}

/** A parser's own words would repeat a part of the text, and operators put secrets where none belong. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter(Boolean);
}
