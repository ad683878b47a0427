import { send } from './request.js';

/** Decision about an agent of the registry. */
export type EntryState = 'proposed' | 'approved' | 'suspended';

/** An agent of the registry. Its texts are its publisher's: hostile. */
export interface RegistryAgent {
  readonly identifier: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly url: string;
  readonly skills: readonly string[];
  readonly health: string;
  readonly signature: string;
  /** Further fields, visible to curators and the owner. */
  readonly managed?: {
    readonly state: EntryState;
    readonly owner: string;
    /** Of the card that an approval is for: the one that waits, else the served one. */
    readonly hash: string;
    /** Risks of the card that waits. */
    readonly changes: readonly string[];
    readonly reason?: string;
  };
}

/** Actions of curators, with their effects. */
export const ACTIONS = {
  approve: 'Approve',
  suspend: 'Suspend',
  retire: 'Remove',
  refresh: 'Read its card again',
} as const;
export type RegistryAction = keyof typeof ACTIONS;

const SHOWN = 100;

/** The agents that the viewer finds, by name or by words best first. */
export async function foundAgents(words: string, signal: AbortSignal): Promise<readonly RegistryAgent[]> {
  const asked = words === '' ? '' : `&q=${encodeURIComponent(words)}`;
  const response = await send(`/registry/agents?pageSize=${String(SHOWN)}${asked}`, { signal });
  const { items } = (await response.json()) as { readonly items: readonly ArdItem[] };
  return items.map(({ displayName, capabilities, metadata: { health, signature }, ...item }) => {
    return { ...item, name: displayName, skills: capabilities, health, signature };
  });
}

/** The agents of the tenant in all states, and the viewer's own where it is no curator. */
export async function managedAgents(signal: AbortSignal): Promise<readonly RegistryAgent[]> {
  const response = await send(`/registry/entries?pageSize=${String(SHOWN)}`, { signal });
  const { items } = (await response.json()) as { readonly items: readonly Entry[] };
  return items.map(({ identifier, url, listing, health, signature, state, owner, hash, pending }) => {
    const { displayName: name, version, description, capabilities: skills } = listing;
    const reason = health.reason === undefined ? {} : { reason: health.reason };
    return {
      ...{ identifier, url, name, version, description, skills, signature, health: health.state },
      managed: { state, owner, hash: pending?.hash ?? hash, changes: pending?.changes ?? [], ...reason },
    };
  });
}

/** Does something with an agent as a curator. @throws RequestFailed */
export async function act(action: RegistryAction, agent: RegistryAgent, reason: string): Promise<void> {
  const why = reason === '' ? 'From the console, without a reason' : reason;
  const bodies = {
    approve: { hash: agent.managed?.hash },
    suspend: { reason: why },
    retire: { reason: why },
    refresh: {},
  };
  await send(`/registry/entries/${encodeURIComponent(agent.identifier)}/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bodies[action]),
  });
}

/** As ARD shows an agent. */
interface ArdItem {
  readonly identifier: string;
  readonly displayName: string;
  readonly version: string;
  readonly description: string;
  readonly url: string;
  readonly capabilities: readonly string[];
  readonly metadata: { readonly health: string; readonly signature: string };
}

interface Entry {
  readonly identifier: string;
  readonly url: string;
  readonly state: EntryState;
  readonly owner: string;
  readonly hash: string;
  readonly signature: string;
  readonly listing: Pick<ArdItem, 'displayName' | 'version' | 'description' | 'capabilities'>;
  readonly pending?: { readonly hash: string; readonly changes: readonly string[] };
  readonly health: { readonly state: string; readonly reason?: string };
}
