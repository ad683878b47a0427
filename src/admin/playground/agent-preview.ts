import { Injectable } from '@nestjs/common';
import type { AgentCard, AgentInterface } from '@parley/protocol/model/agent-card.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { type SignatureOutcome, verifyCard } from '@parley/client/card/verify-card.js';
import type { RemoteAuth } from '../../remote-agents/directory/remote-auth.js';
import { GuardedHttp } from '../../remote-agents/directory/guarded-http.js';
import type { Principal } from '../../auth/principal.js';
import type { CardFinding } from '@parley/protocol/card/card-finding.js';
import { checkCard, checkCardHeaders } from '@parley/protocol/card/check-card.js';
import { type SeenCard, SeenCards } from './seen-cards.store.js';
import { type AgentReference, originOf, type TriedAgent, TriedAgents } from './tried-agents.js';

/** The result of inspecting an agent. Its texts come from its publisher: hostile. */
export type AgentPreview =
  | {
      readonly found: true;
      /** URL of the card. */
      readonly url: string;
      /** The card as it was received. */
      readonly text: string;
      /** The same card in the form of A2A 1.0. */
      readonly card: AgentCard;
      /** Its previous card, seen before by a person of the tenant. */
      readonly before?: SeenCard;
      /** Deviations from A2A, by rule. */
      readonly findings: readonly CardFinding[];
      readonly signature: SignatureOutcome;
      readonly interfaces: readonly InterfacePreview[];
      /** The kind of credential in calls to it. */
      readonly credentials: RemoteAuth['type'];
    }
  | { readonly found: false; readonly why: string };

/** An interface of a card: whether it answers, or the reason why it was not tried. */
export interface InterfacePreview extends Pick<AgentInterface, 'url' | 'protocolBinding' | 'protocolVersion'> {
  readonly reach: 'answers' | 'silent' | 'not-tried';
  /** `405 after 12 ms`; otherwise the reason. */
  readonly word: string;
}

const MAX_TRIED = 8;
const DEADLINES = { headers: 5_000, idle: 5_000, total: 5_000 };

/** Inspects agents: card, signature, and whether its interfaces answer. Sends no credential. */
@Injectable()
export class AgentPreviews {
  constructor(
    private readonly agents: TriedAgents,
    private readonly seen: SeenCards,
    private readonly http: GuardedHttp,
  ) {}

  /** @throws A2AError InvalidParams for an agent that is not visible to the caller */
  async look(caller: Principal, reference: AgentReference): Promise<AgentPreview> {
    try {
      const agent = await this.agents.read(caller, reference);
      const [signature, interfaces, before] = await Promise.all([
        verifyCard(agent.card, agent.keys),
        this.interfacesOf(agent),
        this.seen.note(caller.tenant, nameOf(reference), agent.text),
      ]);
      const credentials = reference.kind === 'listed' ? reference.agent.auth.type : 'none';
      const { url, text, card } = agent;
      const findings = [
        ...checkCard(agent.raw),
        ...(agent.headers === undefined ? [] : checkCardHeaders(agent.headers)),
      ];
      return { found: true, url, text, card, findings, signature, interfaces, credentials, ...(before && { before }) };
    } catch (error) {
      if (error instanceof RemoteError) return { found: false, why: error.message };
      throw error;
    }
  }

  private interfacesOf({ card, origins }: TriedAgent): Promise<readonly InterfacePreview[]> {
    return Promise.all(
      card.supportedInterfaces.slice(0, MAX_TRIED).map(async ({ url, protocolBinding, protocolVersion }) => {
        const shown = { url, protocolBinding, protocolVersion };
        if (!/^https?:/i.test(url)) return { ...shown, ...notTried('only HTTP is spoken from here') };
        if (!origins.has(originOf(url))) return { ...shown, ...notTried('it is at another origin than the card') };
        return { ...shown, ...(await this.try(url)) };
      }),
    );
  }

  /** Any HTTP answer suffices: interfaces accept POST, and refuse this request. */
  private async try(url: string): Promise<Pick<InterfacePreview, 'reach' | 'word'>> {
    const began = performance.now();
    try {
      const { status, body } = await this.http.send({ method: 'GET', url, headers: {}, deadlines: DEADLINES });
      await leave(body);
      const ms = Math.round(performance.now() - began);
      return { reach: 'answers', word: `${String(status)} after ${String(ms)} ms` };
    } catch (error) {
      if (error instanceof RemoteError) return { reach: 'silent', word: error.message };
      throw error;
    }
  }
}

function nameOf(reference: AgentReference): string {
  switch (reference.kind) {
    case 'url':
      return reference.url;
    case 'registry':
      return reference.identifier;
    case 'listed':
      return reference.agent.name;
  }
}

function notTried(word: string): Pick<InterfacePreview, 'reach' | 'word'> {
  return { reach: 'not-tried', word };
}

/** Leaving a body closes its connection. */
async function leave(body: AsyncIterable<Buffer>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}
