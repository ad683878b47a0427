import { remoteSettings } from '../../../main/app.settings.js';
import { loadConfig } from '../../../main/app.environment.js';
import { publicPartOf } from '@parley/client/auth/client-assertion.js';
import type { RemoteAgent } from '../../../remote-agents/directory/agent-file.js';
import type { AllowEntry } from '../../../outbound/allow-list.js';
import { OperatorError } from '../operator-error.js';
import type { Output } from '../output.js';

/**
 * The public key of this service as a client of an agent's authorization server. @throws OperatorError for an agent
 * without one
 */
export function showClientKeys(name: string): Output {
  const { auth } = listedAgent(name).agent;
  if (auth.type !== 'token-exchange') {
    throw new OperatorError(`${name} has auth.type ${auth.type}: only token-exchange has a key.`);
  }
  const json = { keys: [publicPartOf(auth.key)] };
  return { json, text: JSON.stringify(json, undefined, 2) };
}

/** An agent of AGENTS_FILE, and the callable addresses. @throws OperatorError for an unlisted one */
export function listedAgent(name: string): { readonly agent: RemoteAgent; readonly allow: readonly AllowEntry[] } {
  const { agents, allow } = remoteSettings(loadConfig()) ?? { agents: [], allow: [] };
  const agent = agents.find((one) => one.name === name);
  if (agent !== undefined) return { agent, allow };
  const known = agents.map((one) => one.name).join(', ') || 'none';
  throw new OperatorError(`AGENTS_FILE has no agent ${name}. It has: ${known}.`);
}
