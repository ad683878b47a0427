import { describe, expect, it } from '@jest/globals';
import { authOptionsOf, type CallerSettings } from './auth.settings.js';
import { cardSecurity } from './card-security.js';

const URL_OF_SERVICE = 'https://agent.example';
const ISSUER = 'https://login.example';
/** A second issuer with this tenancy. */
const issuersOf = (tenancy: object): readonly object[] => [
  { issuer: 'https://other.example', audiences: ['api://agent'], ...tenancy },
];
const options = (settings: Partial<CallerSettings>): ReturnType<typeof authOptionsOf> =>
  authOptionsOf({ HOST: '0.0.0.0', ...settings }, URL_OF_SERVICE);

describe(authOptionsOf.name, () => {
  it('is open on loopback when nothing is set', () => {
    expect(options({ HOST: '127.0.0.1' })).toMatchObject({ mode: 'open', issuers: [], apiKeys: [] });
  });

  it('refuses to be open to other hosts, and names the variable', () => {
    for (const HOST of ['0.0.0.0', '::', '10.1.2.3', 'agent.example']) {
      expect(() => options({ HOST })).toThrow(/^HOST is .*: set JWT_ISSUER/);
    }
  });

  it('accepts tokens of one issuer for the service’s own URL, into the tenant `default`', () => {
    expect(options({ JWT_ISSUER: ISSUER })).toMatchObject({
      mode: 'required',
      resource: URL_OF_SERVICE,
      issuers: [{ issuer: ISSUER, audiences: [URL_OF_SERVICE], tenant: 'default' }],
    });
  });

  it('reads the tenant from the configured claim', () => {
    const [issuer] = options({ JWT_ISSUER: ISSUER, JWT_TENANT_CLAIM: 'org' }).issuers;
    expect(issuer).toMatchObject({ tenantClaim: 'org' });
    expect(issuer).not.toHaveProperty('tenant');
  });

  it('reads several issuers', () => {
    const issuers = [
      {
        issuer: ISSUER,
        audiences: ['api://agent'],
        tenantClaim: 'tid',
        tenants: ['acme'],
        clientClaim: 'azp',
        allowPlainJwtType: true,
      },
      { issuer: 'https://other.example', audiences: ['api://agent'], tenant: 'other', algorithms: ['ES256'] },
    ];
    const read = options({ issuers, JWT_AUDIENCE: 'https://agent.example/a2a' });
    expect(read.issuers).toMatchObject([{ clientClaim: 'azp' }, { tenant: 'other', algorithms: ['ES256'] }]);
  });

  it('names the setting that cannot be used', () => {
    const one = { issuer: ISSUER, audiences: ['a'], tenant: 't' };
    const wrong: readonly [Partial<CallerSettings>, RegExp][] = [
      [{ issuers: ['nonsense'] }, /^auth.issuers of parley.yaml: \[0\] must be/],
      [{ issuers: [{ ...one, issuer: 'x' }] }, /^auth.issuers of parley.yaml: \[0\]\.issuer: issuer must be a URL/],
      [{ issuers: [{ ...one, tenant: undefined }] }, /^auth.issuers .*tenant/],
      [{ issuers: [{ ...one, algorithms: ['HS256'] }] }, /algorithms/],
      [{ issuers: [{ ...one, adience: 'x' }] }, /adience/],
      [{ JWT_ISSUER: ISSUER, JWT_TENANT: '../x' }, /^JWT_ISSUER: .*tenant is not a valid name/],
      [{ API_KEYS: 'x' }, /^API_KEYS: entry 1: expected id:tenant:client:scopes:sha256/],
      [{ JWT_ISSUER: 'example.com' }, /^JWT_ISSUER: must be a URL/],
      [{ JWT_ISSUER: 'http://login.example' }, /^JWT_ISSUER: must begin with https:/],
      [{ JWT_ISSUER: ISSUER, JWKS_URI: 'foo' }, /^JWKS_URI: must be a URL/],
      [{ JWT_ISSUER: ISSUER, JWKS_URI: 'http://login.example/keys' }, /^JWKS_URI: must begin with https:/],
      [{ JWT_ISSUER: ISSUER, JWT_TOKEN_URL: 'token' }, /^JWT_TOKEN_URL: must be a URL/],
      [{ issuers: [{ ...one, issuer: 'http://a.example' }] }, /^auth.issuers .*https/],
      [
        { JWT_ISSUER: ISSUER, clientCertificateHeader: 'ssl-client-cert' },
        /auth.clientCertificateHeader .*set INGRESS_NETWORKS/,
      ],
      [{ JWT_ISSUER: 'https://acme.eu.auth0.com', JWT_PROFILE: 'auth0' as const }, /JWT_ISSUER.*with a \/ at the end/],
      [{ JWT_ISSUER: ISSUER, issuers: issuersOf({ tenant: 'default' }) }, /may name the same tenant/],
      [{ JWT_ISSUER: ISSUER, issuers: issuersOf({ tenantClaim: 'org' }) }, /may name the same tenant/],
      [
        { JWT_ISSUER: ISSUER, issuers: issuersOf({ tenantClaim: 'org', tenants: ['a', 'default'] }) },
        /may name the same tenant/,
      ],
      [{ JWT_ISSUER: ISSUER, INGRESS_NETWORKS: '10.0.0.1, ingress' }, /INGRESS_NETWORKS must be networks in CIDR form/],
      [{ JWT_ISSUER: ISSUER, INGRESS_NETWORKS: '10' }, /INGRESS_NETWORKS must be networks in CIDR form/],
    ];
    for (const [settings, message] of wrong) expect(() => options(settings)).toThrow(message);
  });
});

describe(authOptionsOf.name, () => {
  it('accepts a name as the audience, with the public address as the resource (RFC 9728)', () => {
    const { resource, issuers } = options({ JWT_ISSUER: ISSUER, JWT_AUDIENCE: 'parley, https://agent.example/a2a' });
    expect(issuers[0]?.audiences).toEqual(['parley', 'https://agent.example/a2a']);
    expect(resource).toBe('https://agent.example/a2a');
    expect(options({ JWT_ISSUER: ISSUER, JWT_AUDIENCE: 'parley' }).resource).toMatch(/^https?:\/\//);
  });
});

describe(cardSecurity.name, () => {
  it('requires nothing where the service is open', () => {
    expect(cardSecurity(options({ HOST: 'localhost' }))).toEqual({});
  });

  it('names the token endpoint and the scopes if the operator has set it', () => {
    const tokenUrl = `${ISSUER}/token`;
    expect(cardSecurity(options({ JWT_ISSUER: ISSUER, JWT_TOKEN_URL: tokenUrl }))).toMatchObject({
      securitySchemes: {
        oauth2: {
          oauth2SecurityScheme: {
            flows: { clientCredentials: { tokenUrl, scopes: { 'a2a:tasks.read': expect.any(String) } } },
          },
        },
      },
      securityRequirements: [{ schemes: { oauth2: { list: [] } } }],
    });
  });

  it('declares every enabled authentication method and no other (A2A-AUTHN-04, SEED-23)', () => {
    const API_KEYS = `k:acme:client:a2a:tasks.read:${'0'.repeat(64)}`;
    const ingress = { clientCertificateHeader: 'ssl-client-cert', INGRESS_NETWORKS: '10.0.0.0/8' };
    const all = { JWT_ISSUER: ISSUER, API_KEYS, DPOP: true, ...ingress };
    const { securitySchemes, securityRequirements } = cardSecurity(options(all));
    expect(Object.keys(securitySchemes ?? {})).toEqual(['oauth2', 'apiKey', 'dpop', 'mutualTls']);
    expect(securitySchemes?.oauth2).toEqual({
      openIdConnectSecurityScheme: { openIdConnectUrl: `${ISSUER}/.well-known/openid-configuration` },
    });
    expect(securityRequirements?.map(({ schemes }) => Object.keys(schemes).join('+'))).toEqual([
      'oauth2',
      'oauth2+dpop',
      'oauth2+mutualTls',
      'apiKey',
    ]);
  });
});
