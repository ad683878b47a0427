import type { SkillPrincipal } from '@parley/sdk/skill/skill.js';
import {
  type AgentAuth,
  apiKeyCredential,
  bearerCredential,
  fixedAuth,
  NO_AUTH,
} from '@parley/client/http/agent-auth.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { type ClientCredentials, ClientCredentialsAuth } from '@parley/client/auth/client-credentials.js';
import { TokenAuth } from '@parley/client/auth/token-auth.js';
import { exchangedToken, type TokenExchange } from '@parley/client/auth/token-exchange.js';
import { tokenFault } from '@parley/client/auth/token-request.js';
import type { RemoteAuth } from './remote-auth.js';

/** Cached callers per agent; the least recent one is evicted. */
const MAX_CALLERS = 1000;

/** The operator's credential for an agent; none if the agent requires the caller's own. */
export function operatorAuth(auth: RemoteAuth, http: AgentHttp): AgentAuth {
  switch (auth.type) {
    case 'none':
    case 'token-exchange':
      return NO_AUTH;
    case 'bearer':
      return fixedAuth(bearerCredential(auth.token));
    case 'apiKey':
      return fixedAuth(apiKeyCredential(auth.in, auth.name, auth.key));
    case 'oauth2':
      return new ClientCredentialsAuth(clientOf(auth), http);
  }
}

/** The client of an agent's authorization server. A token for a named resource must be for it (RFC 8707). */
export function clientOf({ key, ...auth }: RemoteAuth & { readonly type: 'oauth2' }): ClientCredentials {
  const assertion = key === undefined ? {} : { assertion: { key, audience: auth.tokenUrl } };
  return { ...auth, ...assertion, checksResource: auth.resource !== undefined };
}

/** Tokens for one agent, one per caller, in the memory of this process only: never shared between callers or stored. */
export class CallerTokens {
  private readonly auths = new Map<string, AgentAuth>();

  constructor(
    private readonly exchange: TokenExchange,
    private readonly http: AgentHttp,
  ) {}

  /** @throws RemoteError for a caller that is not a user of an issuer: its name may be that of a user there */
  of(caller: SkillPrincipal | undefined): AgentAuth {
    if (caller?.subject === undefined)
      throw tokenFault('the caller is a client without a user, and has no subject there');
    const { tenant, client, subject } = caller;
    const key = JSON.stringify([tenant, client, subject]);
    const asserted = { tenant, client, subject };
    const known = this.auths.get(key) ?? new TokenAuth(() => exchangedToken(this.exchange, asserted, this.http));
    // Re-inserted as the most recent.
    this.auths.delete(key);
    this.auths.set(key, known);
    const [oldest] = this.auths.keys();
    if (this.auths.size > MAX_CALLERS && oldest !== undefined) this.auths.delete(oldest);
    return known;
  }
}
