import type { TestIssuer } from './test-issuer.js';

const SCOPES =
  'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read a2a:card.extended a2a:webhooks.operate';

/** One caller: a client of a tenant, with a token for everything. */
export interface Caller {
  readonly tenant: string;
  readonly client: string;
  readonly headers: { readonly authorization: string };
}

/** A caller by a token that names its tenant in the claim `org`. */
export function aCaller(issuer: TestIssuer, tenant: string, client: string, sub = client): Caller {
  const token = issuer.token({ org: tenant, client_id: client, sub, scope: SCOPES });
  return { tenant, client, headers: { authorization: `Bearer ${token}` } };
}

/** Three tenants with three clients each; clients of different tenants have the same names. */
export function nineCallers(issuer: TestIssuer): readonly Caller[] {
  return ['acme', 'beta', 'gamma'].flatMap((tenant) =>
    ['a', 'b', 'c'].map((client) => aCaller(issuer, tenant, client)),
  );
}

/** The variables of a service whose callers these are. */
export function tenantVariables(issuer: TestIssuer): Readonly<Record<string, string>> {
  const plenty = '100000000/100000000';
  return {
    ...{ JWT_ISSUER: issuer.url, JWT_TENANT_CLAIM: 'org', GRPC_PORT: '0', JWT_AUDIENCE: 'https://agent.example/a2a' },
    ...{ RATE_FAILURE: plenty, RATE_ADDRESS: plenty, RATE_READ: plenty, RATE_WRITE: plenty },
  };
}
