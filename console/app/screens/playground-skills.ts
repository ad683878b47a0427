import { type AgentLook, lookAt } from '../api/other-agents.js';
import { send } from '../api/request.js';
import type { Schema } from '../api/schema.js';

/** What a skill of this agent takes. */
export interface Contract {
  readonly input?: Schema;
}

/** The schema of a skill is open to everybody, as its card is. */
export const readContract = async (path: string, signal: AbortSignal): Promise<Contract> =>
  (await (await send(path, { signal })).json()) as Contract;

/** A skill of an agent, as its card has it. */
export interface Skill {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly examples?: readonly string[];
}

interface OwnCard {
  readonly skills?: readonly Skill[];
  readonly capabilities?: { readonly pushNotifications?: boolean };
}

/** The skills of an agent; of another one with what the service has found out about it. `hasPush`: whether this agent has webhooks. */
export async function skillsOf(
  agent: string,
): Promise<{ readonly found: readonly Skill[]; readonly looked: AgentLook | undefined; readonly hasPush: boolean }> {
  if (agent === '') {
    const response = await send('/.well-known/agent-card.json', { headers: { 'a2a-version': '1.0' } });
    const { skills = [], capabilities } = (await response.json()) as OwnCard;
    return { found: skills, looked: undefined, hasPush: capabilities?.pushNotifications === true };
  }
  const looked = await lookAt(agent);
  const { skills = [] } = looked.found ? looked.card : {};
  const found = skills.map(({ id = '', name = id, description = '', examples = [] }) => {
    return { id, name, description, examples: Array.isArray(examples) ? examples.filter(isText) : [] };
  });
  return { found, looked, hasPush: false };
}

/** Lists in cards of others may hold anything. */
function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A name that fits into a list. */
export function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
