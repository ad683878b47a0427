import type { Block } from './block-file.js';

/** The ids of a credential, as far as it has them. */
export interface CredentialIds {
  readonly apiKey?: string | undefined;
  readonly kid?: string | undefined;
  readonly token?: string | undefined;
}

/** A caller as the block list knows it: the caller of a call, or of a task. */
export interface Blockable {
  readonly tenant: string;
  readonly client: string;
  /** Absent or empty for a client that acts for itself. */
  readonly subject?: string;
  /** The parties that act for the subject: one of them blocked blocks the call. */
  readonly actors?: readonly string[];
  readonly credential?: CredentialIds;
}

/** Entries by what they name, for one tenant or for all. */
class Entries {
  whole: Block | undefined;
  readonly clients = new Map<string, Block>();
  readonly subjects = new Map<string, Block>();
  /** Subjects of one client. */
  readonly subjectsOf = new Map<string, Map<string, Block>>();
  readonly apiKeys = new Map<string, Block>();
  readonly kids = new Map<string, Block>();
  readonly tokens = new Map<string, Block>();
  readonly agents = new Map<string, Block>();

  add(block: Block): void {
    const { client, subject, apiKey, kid, token, agent } = block;
    if (client !== undefined && subject !== undefined) keep(subjectsIn(this.subjectsOf, client), subject, block);
    else if (client !== undefined) keep(this.clients, client, block);
    else if (subject !== undefined) keep(this.subjects, subject, block);
    else if (apiKey !== undefined) keep(this.apiKeys, apiKey, block);
    else if (kid !== undefined) keep(this.kids, kid, block);
    else if (token !== undefined) keep(this.tokens, token, block);
    else if (agent !== undefined) keep(this.agents, agent, block);
    else this.whole = longer(this.whole, block);
  }

  of({ client, subject, actors, credential }: Blockable, now: number): Block | undefined {
    return (
      inForce(this.whole, now) ??
      inForce(this.clients.get(client), now) ??
      (subject === undefined ? undefined : this.ofSubject(client, subject, now)) ??
      (actors === undefined ? undefined : this.ofActors(actors, now)) ??
      (credential === undefined ? undefined : this.ofCredential(credential, now))
    );
  }

  private ofSubject(client: string, subject: string, now: number): Block | undefined {
    return inForce(this.subjects.get(subject), now) ?? inForce(this.subjectsOf.get(client)?.get(subject), now);
  }

  private ofActors(actors: readonly string[], now: number): Block | undefined {
    for (const name of actors) {
      const found = inForce(this.clients.get(name), now) ?? inForce(this.subjects.get(name), now);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private ofCredential({ apiKey = '', kid = '', token = '' }: CredentialIds, now: number): Block | undefined {
    return (
      inForce(this.apiKeys.get(apiKey), now) ?? inForce(this.kids.get(kid), now) ?? inForce(this.tokens.get(token), now)
    );
  }
}

/** Finds the entry that blocks a caller in the same time however many there are. */
export class BlockList {
  private readonly everywhere = new Entries();
  private readonly tenants = new Map<string, Entries>();
  private readonly isEmpty: boolean;

  constructor(blocks: readonly Block[]) {
    this.isEmpty = blocks.length === 0;
    for (const block of blocks) this.entriesOf(block.tenant).add(block);
  }

  /** The entry in force that blocks a caller. */
  of(caller: Blockable): Block | undefined {
    if (this.isEmpty) return undefined;
    const now = Date.now();
    return this.tenants.get(caller.tenant)?.of(caller, now) ?? this.everywhere.of(caller, now);
  }

  /** The entry in force that blocks calls to an agent. */
  ofAgent(name: string): Block | undefined {
    return inForce(this.everywhere.agents.get(name), Date.now());
  }

  private entriesOf(tenant: string | undefined): Entries {
    if (tenant === undefined) return this.everywhere;
    const entries = this.tenants.get(tenant) ?? new Entries();
    this.tenants.set(tenant, entries);
    return entries;
  }
}

function subjectsIn(of: Map<string, Map<string, Block>>, client: string): Map<string, Block> {
  const subjects = of.get(client) ?? new Map<string, Block>();
  of.set(client, subjects);
  return subjects;
}

function keep(blocks: Map<string, Block>, name: string, block: Block): void {
  blocks.set(name, longer(blocks.get(name), block));
}

/** Of two entries about the same, the one that blocks longer; of two as long, the one that cancels. */
function longer(one: Block | undefined, other: Block): Block {
  if (one === undefined || other.until > one.until) return other;
  return other.until === one.until && other.tasks === 'cancel' ? other : one;
}

function inForce(block: Block | undefined, now: number): Block | undefined {
  return block !== undefined && block.until > now ? block : undefined;
}
