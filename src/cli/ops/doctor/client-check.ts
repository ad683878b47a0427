import { type AssertionFile, claimsOf, readAssertion } from '@parley/client/auth/assertion-file.js';
import { requestToken } from '@parley/client/auth/token-request.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { toolServers } from '../../../main/app.others.js';
import type { Environment } from '../../../main/app.environment.js';
import { type Finding, fine } from '../../../main/finding.js';
import { ConfigError } from '../../../platform/config/config-error.js';
import { clientOf } from '../../../remote-agents/directory/outgoing-auth.js';
import type { RemoteAuth } from '../../../remote-agents/directory/remote-auth.js';
import { ofEachAgent } from './agent-check.js';

const CHECK = 'tokens for others';
const ONE_AUDIENCE =
  'Let the authorization server issue tokens for one audience (RFC 8707 resource, or audience): a receiver could use this one at the others';

/** Checks how this service proves itself at authorization servers: its assertion files, and the tokens that it gets. */
export async function checkClients(environment: Environment): Promise<readonly Finding[]> {
  const ofAgents = await ofEachAgent(environment, async ({ name, auth }, http) => [
    ...('assertionFile' in auth ? [await fileFinding(name, auth.assertionFile)] : []),
    ...(auth.type === 'oauth2' ? [await tokenFinding(name, auth, http)] : []),
  ]);
  return [
    ...ofAgents,
    ...(await Promise.all(filesOfServers(environment).map(([name, file]) => fileFinding(name, file)))),
  ];
}

/** None for a broken file: the check of the tool servers reports its faults. */
function filesOfServers(environment: Environment): readonly (readonly [name: string, file: AssertionFile])[] {
  try {
    return toolServers(environment).flatMap(({ name, transport }) => {
      const auth = transport.type === 'http' ? transport.auth : undefined;
      return auth?.type === 'oauth2' && auth.assertionFile !== undefined ? [[name, auth.assertionFile] as const] : [];
    });
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

/** Audience, expiry and age of an assertion, and nothing else of it. */
async function fileFinding(name: string, file: AssertionFile): Promise<Finding> {
  try {
    const { claims, writtenAt } = await readAssertion(file);
    const audiences = audiencesIn(claims);
    const ends =
      typeof claims.exp === 'number' ? `expires in ${minutes(claims.exp * 1000 - Date.now())}` : 'never expires';
    const text = `${name}: ${file.path} is for ${audiences.join(', ') || 'no audience'}, ${ends}, and was written ${minutes(Date.now() - writtenAt)} ago`;
    if (audiences.length === 1) return fine(CHECK, text);
    return { check: CHECK, severity: 'warn', text, fix: 'Project a token for one audience: the authorization server' };
  } catch (error) {
    return broken(name, error, 'Mount the token at this path, and let its platform renew it');
  }
}

/** The audiences of a token as the service would get it. */
async function tokenFinding(
  name: string,
  auth: RemoteAuth & { readonly type: 'oauth2' },
  http: AgentHttp,
): Promise<Finding> {
  const { scope, audience, resource } = auth;
  try {
    const grant = { grant_type: 'client_credentials', scope, audience, resource };
    const { value } = await requestToken(http, clientOf(auth), grant, Date.now);
    const audiences = audiencesIn(claimsOf(value) ?? {});
    const text = `${name}: ${auth.tokenUrl} gives tokens for ${audiences.join(', ') || 'an audience that cannot be read'}`;
    if (audiences.length < 2) return fine(CHECK, text);
    return { check: CHECK, severity: 'warn', text, fix: ONE_AUDIENCE };
  } catch (error) {
    return broken(name, error, 'Correct auth in AGENTS_FILE, or name its token endpoint in EGRESS_ALLOW');
  }
}

function broken(name: string, error: unknown, fix: string): Finding {
  if (!(error instanceof RemoteError)) throw error;
  return { check: CHECK, severity: 'warn', text: `${name}: ${error.message}`, fix };
}

function audiencesIn({ aud }: Readonly<Record<string, unknown>>): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return listed.filter((one) => typeof one === 'string');
}

function minutes(ms: number): string {
  return `${String(Math.round(ms / 60_000))} min`;
}
