import type { Environment } from '../../../main/app.environment.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { exchangeFault, type TokenExchange } from '@parley/client/auth/token-exchange.js';
import type { GuardedHttp } from '../../../remote-agents/directory/guarded-http.js';
import { ofEachAgent } from './agent-check.js';
import { type Finding, fine } from '../../../main/finding.js';

const CHECK = 'token exchange';

/** Checks that the authorization servers of AGENTS_FILE know this service and accept its token exchanges. */
export function checkExchanges(environment: Environment): Promise<readonly Finding[]> {
  return ofEachAgent(environment, async ({ name, auth }, http) =>
    auth.type === 'token-exchange' ? checkOne(name, auth, http) : [],
  );
}

async function checkOne(name: string, exchange: TokenExchange, http: GuardedHttp): Promise<readonly Finding[]> {
  const { tokenUrl, clientId } = exchange;
  try {
    const fault = await exchangeFault(exchange, http);
    if (fault === undefined) return [fine(CHECK, `${name}: ${tokenUrl} takes requests of ${clientId}`)];
    const text = `${name}: ${tokenUrl} refuses every request of ${clientId}: ${fault}`;
    const fix = `Register the client with the key of "parley ops agents jwks ${name}", and allow it token exchange (RFC 8693)`;
    return [{ check: CHECK, severity: 'fail', text, fix }];
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const fix = 'Correct auth.tokenUrl in AGENTS_FILE, or name it in EGRESS_ALLOW';
    return [{ check: CHECK, severity: 'warn', text: `${name}: ${error.message}`, fix }];
  }
}
