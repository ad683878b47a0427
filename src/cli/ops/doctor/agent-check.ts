import { remoteSettings } from '../../../main/app.settings.js';
import type { Environment } from '../../../main/app.environment.js';
import { ConfigError } from '../../../platform/config/config-error.js';
import type { RemoteAgent } from '../../../remote-agents/directory/agent-file.js';
import { cardNow } from '../../../remote-agents/directory/card-resolver.js';
import { GuardedHttp } from '../../../remote-agents/directory/guarded-http.js';
import { GuardedClient } from '../../../outbound/guarded-client.js';
import { chooseEndpoint } from '@parley/client/call/endpoint.js';
import { faultText } from './fault-text.js';
import { type Finding, fine } from '../../../main/finding.js';

const CHECK = 'agents';

/** Fetches the card of each agent of AGENTS_FILE like a call does, and checks that it has a callable interface. */
export function checkAgents(environment: Environment): Promise<readonly Finding[]> {
  return ofEachAgent(environment, async (agent, http) => [await checkAgent(agent, http)]);
}

/** The findings of a check of each agent of AGENTS_FILE, by guarded requests as the service makes them. */
export async function ofEachAgent(
  environment: Environment,
  check: (agent: RemoteAgent, http: GuardedHttp) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const { agents, allow } = settingsOf(environment);
  const egress = new GuardedClient({ ports: [443], allowHttp: false, allow });
  const http = new GuardedHttp(egress);
  try {
    return (await Promise.all(agents.map((agent) => check(agent, http)))).flat();
  } finally {
    await egress.close();
  }
}

async function checkAgent(agent: RemoteAgent, http: GuardedHttp): Promise<Finding> {
  try {
    const card = await cardNow(agent, http);
    const { url, binding, codec } = chooseEndpoint(card, {});
    const how = `${binding} ${codec.version} at ${new URL(url).origin}`;
    return fine(CHECK, `${agent.name}: its card is served, and is called by ${how}`);
  } catch (error) {
    const text = `${agent.name}: its card at ${agent.card} cannot be used: ${faultText(error)}`;
    const fix = 'Start the agent, correct its card, auth or keys in AGENTS_FILE, or name its host in EGRESS_ALLOW';
    return { check: CHECK, severity: 'warn', text, fix };
  }
}

/** None for a broken file: the check of the tool servers reports its faults. */
function settingsOf(
  environment: Environment,
): Pick<NonNullable<ReturnType<typeof remoteSettings>>, 'agents' | 'allow'> {
  try {
    return remoteSettings(environment) ?? { agents: [], allow: [] };
  } catch (error) {
    if (error instanceof ConfigError) return { agents: [], allow: [] };
    throw error;
  }
}
