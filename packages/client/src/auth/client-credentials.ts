import type { AgentHttp } from '../http/agent-http.js';
import { TokenAuth } from './token-auth.js';
import { requestToken, type TokenClient } from './token-request.js';

/** How a client gets its own tokens (RFC 6749 §4.4), for one agent. */
export interface ClientCredentials extends TokenClient {
  readonly scope?: string;
  /** Sent as `audience`, for issuers that know it. */
  readonly audience?: string;
  /** Sent as `resource` (RFC 8707). */
  readonly resource?: string;
}

/** OAuth2 client credentials: one token per agent. */
export class ClientCredentialsAuth extends TokenAuth {
  constructor(options: ClientCredentials, http: AgentHttp, now: () => number = Date.now) {
    const { scope, audience, resource } = options;
    const grant = { grant_type: 'client_credentials', scope, audience, resource };
    super(() => requestToken(http, options, grant, now), now);
  }
}
