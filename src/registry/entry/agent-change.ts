import { randomBytes } from 'node:crypto';
import { type Audience, audienceOf, type HealthState, isAmong, type RegistryEntry } from './registry-entry.js';

/** A change of an agent, with who found the agent before and after it: that decides who is told. */
export interface AgentChange {
  /** A random name, after which readers resume: a number would count what they may not see. */
  readonly id: string;
  readonly identifier: string;
  /** ISO 8601. */
  readonly at: string;
  /** Absent: nobody. */
  readonly from?: Audience;
  readonly to?: Audience;
  /** The new health, where that is what has changed. */
  readonly health?: HealthState;
}

/** What a change is to one client. `listed`: it finds the agent from now on. `gone`: it does not any more. */
export type ChangeKind = 'listed' | 'changed' | 'health' | 'gone';

/** The change between two entries; undefined where nobody found the agent before and nobody does after. */
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

/** What a client is told of a change; undefined: nothing. @param now who finds the agent at this moment */
export function kindFor(client: string, change: AgentChange, now: Audience | undefined): ChangeKind | undefined {
  const [saw, sees] = [finds(change.from, client), finds(change.to, client)];
  if (saw && !sees) return 'gone';
  // What the client could not read any more is not told: a later change says that the agent is gone.
  if (!sees || !finds(now, client)) return undefined;
  if (!saw) return 'listed';
  return change.health === undefined ? 'changed' : 'health';
}

/** Whether a client found the agent before or after a change. */
export function concerns({ from, to }: AgentChange, client: string): boolean {
  return finds(from, client) || finds(to, client);
}

function finds(audience: Audience | undefined, client: string): boolean {
  return audience !== undefined && isAmong(audience, client);
}
