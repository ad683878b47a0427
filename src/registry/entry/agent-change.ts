import { randomBytes } from 'node:crypto';
import { type Audience, audienceOf, type HealthState, isAmong, type RegistryEntry } from './registry-entry.js';

/** A change of an agent, with its audience before and after: both together are notified. */
export interface AgentChange {
  /** A random name from which readers resume: a number would count changes that they may not see. */
  readonly id: string;
  readonly identifier: string;
  /** ISO 8601. */
  readonly at: string;
  /** Absent: no client. */
  readonly from?: Audience;
  readonly to?: Audience;
  /** The new health, if that is the change. */
  readonly health?: HealthState;
}

/**
 * Client-visible form of a change. `listed`: the agent becomes visible to it. `gone`: the agent is no longer visible.
 */
export type ChangeKind = 'listed' | 'changed' | 'health' | 'gone';

/** The change between two entries; undefined if the agent was visible to no client before or after. */
export function changeOf(
  identifier: string,
  before: RegistryEntry | undefined,
  after: RegistryEntry | undefined,
  { at = new Date().toISOString(), health }: { readonly at?: string; readonly health?: HealthState } = {},
): AgentChange | undefined {
  const [from, to] = [audienceOf(before), audienceOf(after)];
  if (from === undefined && to === undefined) return undefined;
  return {
    ...{ id: randomBytes(9).toString('base64url'), identifier, at },
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(health === undefined ? {} : { health }),
  };
}

/**
 * Client-visible form of a change, or undefined if the client may not see it. @param now the agent's present audience
 */
export function kindFor(client: string, change: AgentChange, now: Audience | undefined): ChangeKind | undefined {
  const [saw, sees] = [finds(change.from, client), finds(change.to, client)];
  if (saw && !sees) return 'gone';
  // A client that lost access gets no older changes: a later one reports the agent as gone.
  if (!sees || !finds(now, client)) return undefined;
  if (!saw) return 'listed';
  return change.health === undefined ? 'changed' : 'health';
}

/** Whether a client could see the agent before or after a change. */
export function concerns({ from, to }: AgentChange, client: string): boolean {
  return finds(from, client) || finds(to, client);
}

function finds(audience: Audience | undefined, client: string): boolean {
  return audience !== undefined && isAmong(audience, client);
}
