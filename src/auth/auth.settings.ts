import { IsArray, IsIn, IsOptional, IsString } from 'class-validator';
import type { ListedAddress } from '../platform/address/listed-address.js';
import { LiveSecret } from '../platform/config/variables/live-secret.js';
import type { SecretPaths } from '../platform/config/variables/secret-files.js';
import { ofVariable } from '../platform/config/variables/of-variable.js';
import { Setting } from '../platform/config/settings/setting.js';
import { Switch } from '../platform/config/checks/switch.js';
import { readDto } from '@parley/sdk/validation/read-file-dto.js';
import { parseApiKeys } from './api-key/api-key.js';
import { checkAuthOptions, type AuthOptions } from './auth-options.js';
import { IssuerSettings } from './issuer.settings.js';
import { isLoopbackHost, isProtectedUrl } from './incoming/loopback.js';
import { checkIssuerOptions, type IssuerOptions } from './token/issuer-options.js';
import { JWT_PROFILES, type JwtProfile } from './token/token-shape.js';

/** Settings of parley.yaml, as errors name them. */
const ISSUERS = 'auth.issuers of parley.yaml';

const OWNERSHIP = ['client', 'client-and-user', 'tenant'] as const;

/**
 * Who may call. Without an issuer or a key, loopback callers need no credentials, and another HOST refuses to start.
 */
export class AuthSettings {
  @Setting('One issuer of access tokens (RFC 9068). Its keys come from its metadata, or from JWKS_URI if set.')
  @IsOptional()
  @IsString()
  readonly JWT_ISSUER?: string;

  @Setting('Accepted audiences of its tokens, separated by commas; the first is this service. Default: PUBLIC_URL.')
  @IsOptional()
  @IsString()
  readonly JWT_AUDIENCE?: string;

  @Setting('Address of its keys.')
  @IsOptional()
  @IsString()
  readonly JWKS_URI?: string;

  @Setting('Its token endpoint, shown in the agent card.')
  @IsOptional()
  @IsString()
  readonly JWT_TOKEN_URL?: string;

  @Setting('Format of its tokens: rfc9068 | auth0 | entra | keycloak | okta. docs/security.md compares them.')
  @IsIn(JWT_PROFILES)
  readonly JWT_PROFILE: JwtProfile = 'rfc9068';

  @Setting('The tenant of all its tokens. Default: default.')
  @IsOptional()
  @IsString()
  readonly JWT_TENANT?: string;

  @Setting('The claim of its tokens that has the tenant, instead of JWT_TENANT.')
  @IsOptional()
  @IsString()
  readonly JWT_TENANT_CLAIM?: string;

  @Setting(
    "API keys: id:tenant:client:scopes:sha256, separated by ';'. A key is <id>.<secret>, its scopes are separated by ',', and sha256 is the digest of the whole key: printf %s \"$KEY\" | sha256sum",
  )
  @IsOptional()
  @IsString()
  readonly API_KEYS?: string;

  @Setting('true: accept DPoP tokens, which are bound to a key of the client (RFC 9449).')
  @Switch()
  readonly DPOP: boolean = false;

  @Setting(
    'Networks of the ingress or balancer, for example 10.0.0.0/8,fd00::/8. X-Forwarded-For is trusted from these only, for limits and the audit log, and so are Forwarded and X-Forwarded-Host, -Proto and -Prefix, which choose an address of PUBLIC_URL. If empty, all callers behind an ingress share its address.',
  )
  @IsOptional()
  @IsString()
  readonly INGRESS_NETWORKS?: string;

  @Setting(
    'Owner of tasks within a tenant: client | client-and-user | tenant (all clients of a tenant share its tasks).',
  )
  @IsIn(OWNERSHIP)
  readonly OWNERSHIP: (typeof OWNERSHIP)[number] = 'client';

  @Setting(
    'More issuers, or all: a list of objects with issuer, audiences, and tenant or tenantClaim; docs/security.md has the other members.',
    { was: 'JWT_ISSUERS' },
  )
  @IsOptional()
  @IsArray()
  readonly issuers?: readonly unknown[];

  @Setting(
    'A JSON file of callers, credentials and agents that are turned off: docs/security.md. It is read at start and again within seconds of a change.',
  )
  @IsOptional()
  @IsString()
  readonly blockFile?: string;

  @Setting('Header in which the ingress passes the client certificate (RFC 8705). Needs INGRESS_NETWORKS.', {
    was: 'CLIENT_CERTIFICATE_HEADER',
  })
  @IsOptional()
  @IsString()
  readonly clientCertificateHeader?: string;
}

/** The settings of authentication, and the host that the service listens on. */
export type CallerSettings = Partial<AuthSettings> & { readonly HOST: string; readonly secretPaths?: SecretPaths };

/**
 * Authentication options from an operator's settings. Without any, a service on loopback is open and any other refuses
 * to start.
 * @param publicUrl public URL of the service
 * @param addresses all its public addresses, if some are listed
 * @throws Error that names the variable to change
 */
export function authOptionsOf(
  settings: CallerSettings,
  publicUrl: string,
  addresses: readonly ListedAddress[] = [],
): AuthOptions {
  const audiences = listOf(settings.JWT_AUDIENCE);
  // An audience may be any name (RFC 7519 §4.1.3); only one that is an address can name the resource (RFC 9728 §1.2).
  const resource = audiences.find((audience) => /^https?:/.test(audience) && URL.canParse(audience)) ?? publicUrl;
  const issuers = issuersOf(settings, audiences.length > 0 ? audiences : ownNames(publicUrl, addresses));
  const source = { name: 'API_KEYS', text: settings.API_KEYS ?? '', file: settings.secretPaths?.API_KEYS };
  const keys = ofVariable('API_KEYS', () => new LiveSecret({ ...source, parse: parseApiKeys }));
  const apiKeys = keys.current;
  const mode = issuers.length > 0 || apiKeys.length > 0 ? 'required' : 'open';
  if (mode === 'open' && !isLoopbackHost(settings.HOST)) {
    throw new Error(
      `HOST is ${settings.HOST}, so other machines can call: set JWT_ISSUER, auth.issuers of parley.yaml or API_KEYS.`,
    );
  }
  checkUrl('JWT_TOKEN_URL', settings.JWT_TOKEN_URL);
  const header = settings.clientCertificateHeader?.toLowerCase();
  const ingressNetworks = listOf(settings.INGRESS_NETWORKS);
  const options: AuthOptions = {
    ...{ mode, resource, addresses, issuers, apiKeys, dpop: settings.DPOP === true, ingressNetworks },
    apiKeysNow: () => keys.current,
    ...(header === undefined ? {} : { clientCertificates: { header } }),
  };
  checkAuthOptions(options);
  return options;
}

/** Audiences of tokens for the service. Issuers may have an address with a slash at the end, as operators may write it. */
function ownNames(publicUrl: string, addresses: readonly ListedAddress[]): readonly string[] {
  return addresses.length === 0 ? [publicUrl] : addresses.flatMap(({ url }) => [url, `${url}/`]);
}

function issuersOf(settings: CallerSettings, audiences: readonly string[]): readonly IssuerOptions[] {
  const { JWT_ISSUER: issuer, JWKS_URI: jwksUri, JWT_TOKEN_URL: tokenUrl, JWT_TENANT_CLAIM: tenantClaim } = settings;
  const { JWT_PROFILE: profile } = settings;
  const more = readIssuers(settings.issuers ?? []);
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

function readIssuers(list: readonly unknown[]): readonly IssuerOptions[] {
  return ofVariable(ISSUERS, () => {
    const issuers = list.map((item, at) => readDto(IssuerSettings, item, `[${String(at)}]`));
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

/** Keys and tokens require https: over http the keys would never be fetched, and every token fail. */
function checkSecureUrl(url: string | null | undefined): void {
  if (url === undefined || url === null) return;
  if (!URL.canParse(url)) throw new Error('must be a URL, as https://login.example');
  if (!isProtectedUrl(url)) throw new Error('must begin with https:// (http:// is for this machine only)');
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter(Boolean);
}
