import type { AgentHttp } from '../http/agent-http.js';
import { TokenAuth } from './token-auth.js';
import { checkAudience, requestToken, type TokenClient } from './token-request.js';

/** How a client gets its own tokens (RFC 6749 §4.4), for one agent. */
export interface ClientCredentials extends TokenClient {
  readonly scope?: string;
  /** Sent as `audience`, for issuers that know it. */
  readonly audience?: string;
  /** Sent as `resource` (RFC 8707). */
  readonly resource?: string;
  /** Refuses a token that can be read and is not for the resource. Default false: not every issuer knows RFC 8707. */
  readonly checksResource?: boolean;
}

/** OAuth2 client credentials: one token per agent. */
export class ClientCredentialsAuth extends TokenAuth {
  constructor(options: ClientCredentials, http: AgentHttp, now: () => number = Date.now) {
    const { scope, audience, resource } = options;
    const grant = { grant_type: 'client_credentials', scope, audience, resource };
    super(async () => {
      const token = await requestToken(http, options, grant, now);
      if (options.checksResource === true) checkAudience(token.value, [audience, resource]);
      return token;
    }, now);
  }
}
