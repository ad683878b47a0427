import { type AgentLook, lookAt } from '../../api/a2a/other-agents.js';
import { postJson, send } from '../../api/request.js';
import type { Schema } from '../../api/schema.js';

/** Input of a skill; the texts of another agent are its publisher's. */
export interface Contract {
  readonly input?: Schema;
  /** Why the contract of another agent cannot be read. */
  readonly why?: string;
}

/** Names a skill for `readContract`. @param agent empty for this one */
export const contractKey = (agent: string, skill: string): string => JSON.stringify({ agent, skill });

/** The schema of a skill of this agent is open to everybody, as its card is; those of others are read by the service. */
export async function readContract(key: string, signal: AbortSignal): Promise<Contract> {
  const { agent, skill } = JSON.parse(key) as { readonly agent: string; readonly skill: string };
  if (agent !== '') return postJson('/agents/contract', { agent, skill });
  return (await (await send(`/skills/${encodeURIComponent(skill)}/schema`, { signal })).json()) as Contract;
}

/** Whether the card of another agent shows the contract of a skill. */
export function showsContract(look: AgentLook | undefined, skill: string): boolean {
  const extensions: unknown = look?.found === true ? look.card.capabilities?.extensions : undefined;
  if (!Array.isArray(extensions)) return false;
  const shown = extensions.find((one: { readonly uri?: unknown } | null) => one?.uri === SKILL_SCHEMA) as
    { readonly params?: { readonly skills?: unknown } | null } | undefined;
  const skills = shown?.params?.skills;
  return typeof skills === 'object' && skills !== null && Object.hasOwn(skills, skill);
}
const SKILL_SCHEMA = 'urn:parley:extension:skill-schema:1';

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

/** The skills of an agent; of another one with the service's findings. `hasPush`: whether this agent has webhooks. */
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
