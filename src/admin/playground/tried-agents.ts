import { Inject, Injectable, Optional } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';
import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { Policies } from '../../policy/policies.js';
import { isIdentifier, publisherOf } from '../../agents/card/ard/identifier.js';
import { cardOf, fetchCard } from '@parley/client/card/fetch-card.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { AgentDirectory } from '../../remote-agents/directory/agent-directory.js';
import type { RemoteAgent } from '../../remote-agents/directory/agent-file.js';
import { ApprovedCards } from '../../remote-agents/directory/approved-cards.js';
import { GuardedHttp } from '../../remote-agents/directory/guarded-http.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { CallerGate } from '../../auth/caller.gate.js';
import type { Principal } from '../../auth/principal.js';

/** An agent as named by a person, before any request to it. */
export type AgentReference =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'registry'; readonly identifier: string }
  | { readonly kind: 'listed'; readonly agent: RemoteAgent };

/** The present card of an agent, and this service's own knowledge of it. */
export interface TriedAgent {
  readonly url: string;
  /** In its received form. */
  readonly text: string;
  /** The same as JSON, unchecked. */
  readonly raw: unknown;
  readonly card: AgentCard;
  /** Headers of the answer with the card, in lower case; absent for the registry's approved card. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Allowed origins of calls to it. */
  readonly origins: ReadonlySet<string>;
  /** Keys that may sign it; undefined when none is pinned. */
  readonly keys: JSONWebKeySet | undefined;
}

/** Resolves agents for people who try them: by URL, in the registry, or in AGENTS_FILE. */
@Injectable()
export class TriedAgents {
  constructor(
    private readonly http: GuardedHttp,
    private readonly policies: Policies,
    private readonly gate: CallerGate,
    private readonly cards: ApprovedCards,
    @Optional() @Inject(AgentDirectory) private readonly directory?: AgentDirectory,
  ) {}

  /** The agents of AGENTS_FILE that the policy permits to a caller, by name. */
  listed(caller: Principal): readonly string[] {
    const names = (this.directory?.agents ?? []).map(({ name }) => name);
    return names.filter((name) => this.policies.current.mayCall(caller, remote(name)).isAllowed).sort();
  }

  /**
   * Resolves a text: an identifier of the registry, an http URL, or a name of AGENTS_FILE. Makes no request.
   * @throws A2AError InvalidParams, AuthError PermissionDenied, PolicyRefusal
   */
  referenceOf(caller: Principal, text: string): AgentReference {
    if (/^https?:\/\//i.test(text)) return { kind: 'url', url: text };
    if (isIdentifier(text)) {
      this.gate.requireScopes(caller, this.cards.source?.scopes ?? []);
      return { kind: 'registry', identifier: text };
    }
    const agent = this.directory?.find(text);
    if (agent === undefined) throw noSuchAgent();
    this.policies.requireCall(caller, { id: remote(agent.name) });
    return { kind: 'listed', agent };
  }

  /**
   * Requires of a person that calls the agent the same rights as of callers of the exposed skills: for the named skill,
   * or for all when none is named. @throws AuthError PermissionDenied, PolicyRefusal
   */
  requireShown(caller: Principal, agent: RemoteAgent, skillId: unknown): void {
    for (const { id, remoteId, scopes } of agent.exposed) {
      if (typeof skillId === 'string' && remoteId !== skillId) continue;
      this.gate.requireScopes(caller, scopes);
      this.policies.requireCall(caller, { id });
    }
  }

  /**
   * Reads the card of an agent. @throws RemoteError, A2AError InvalidParams for one that is not visible to the caller
   */
  async read(caller: Principal, reference: AgentReference, signal?: AbortSignal): Promise<TriedAgent> {
    if (reference.kind === 'registry') return this.approved(caller, reference.identifier);
    const fetched = await this.fetched(reference.kind === 'url' ? reference.url : reference.agent.card, signal);
    const { origin } = new URL(fetched.url);
    if (reference.kind === 'listed') {
      const { origins, keys } = reference.agent;
      return { ...fetched, origins: new Set([origin, ...origins]), keys };
    }
    const keys = await this.cards.source?.keysOf(caller.tenant, publisherOf(fetched.url));
    return { ...fetched, origins: new Set([origin]), keys };
  }

  /** The card approved by curators, without a request. */
  private async approved(caller: Principal, identifier: string): Promise<TriedAgent> {
    const approved = await this.cards.source?.approved(caller, identifier);
    if (approved === undefined) throw noSuchAgent();
    const { url, text, keys } = approved;
    const { card, raw } = cardOf(text);
    return { url, text, card, raw, keys, origins: new Set(card.supportedInterfaces.map((one) => originOf(one.url))) };
  }

  private async fetched(reference: string, signal?: AbortSignal) {
    const fetched = await fetchCard(this.http, reference, { signal });
    if ('unchanged' in fetched) throw new RemoteError('invalid-answer', 'The agent answered 304 to a first request');
    return { ...fetched, ...cardOf(fetched.text) };
  }
}

/** The origin of an interface; the text itself if it is not a URL. */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** The same error for a missing agent and an invisible one. */
function noSuchAgent(): A2AError {
  return invalidParams([{ field: 'agent', description: 'is no URL, and no agent that you can find' }]);
}
