import {
  type AgentAuth,
  apiKeyCredential,
  bearerCredential,
  fixedAuth,
  NO_AUTH,
} from '@parley/client/http/agent-auth.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { ClientCredentialsAuth } from '@parley/client/auth/client-credentials.js';
import type { RemoteAuth } from './remote-auth.js';

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
      return new ClientCredentialsAuth(auth, http);
  }
}
